/* Files of a test program, in a folder of its own: declare `static char folder[]` before including this. */
#ifndef SUPPORT_FOLDER_H
#define SUPPORT_FOLDER_H

#include <dirent.h>
#include <stdio.h>

/* The path of a file there; the next call overwrites it. */
static const char *in_folder(const char *name)
{
    static char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* How many files there are. */
static int entries(void)
{
    int count = -2;
    DIR *d = opendir(folder);
    while (d && readdir(d)) count++;
    if (d) closedir(d);
    return count;
}

#endif
