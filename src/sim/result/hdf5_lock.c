/* One thread at a time in the HDF5 library, which stays silent. */
#define _GNU_SOURCE
#include "sim/result/hdf5_lock.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t library =
    PTHREAD_MUTEX_INITIALIZER; /* guards no data of ours, only the library's own */

/* Called instead of printing. */
static herr_t count(hid_t stack, void *failures)
{
    (void)stack;
    ++*(int *)failures;
    return 0;
}

int pn_hdf5_begin(pn_hdf5 *h)
{
    h->failures = 0;
    pthread_mutex_lock(&library);
    if (H5open() >= 0 && H5Eget_auto2(H5E_DEFAULT, &h->print, &h->print_data) >= 0 &&
        H5Eset_auto2(H5E_DEFAULT, count, &h->failures) >= 0)
        return 1;
    pthread_mutex_unlock(&library);
    return 0;
}

void pn_hdf5_end(pn_hdf5 *h)
{
    H5Eset_auto2(H5E_DEFAULT, h->print, h->print_data);
    pthread_mutex_unlock(&library);
}

/* ------------------------------------------------------------------------------------------------
 * A file that fails to close stays in the library, half taken down, and crashes the process at its exit. So all is
 * flushed while it may fail, then the library writes into memory, where it cannot, and what it wrote there, its first
 * block, goes to the file by a write of ours. */

enum { BLOCK = 4096 };

typedef struct detour {
    int file, memory; /* -1: none */
} detour;

static void divert(detour *d, hid_t file)
{
    *d = (detour){-1, -1};
#ifdef MFD_CLOEXEC
    unsigned char block[BLOCK];
    struct stat about;
    int *descriptor = NULL;
    if (H5Fget_vfd_handle(file, H5P_DEFAULT, (void **)&descriptor) < 0 || !descriptor) return;
    d->memory = memfd_create("pinion", MFD_CLOEXEC);
    d->file = fcntl(*descriptor, F_DUPFD_CLOEXEC, 0);
    const long size = d->file < 0 ? -1 : (long)pread(d->file, block, BLOCK, 0);
    if (d->memory >= 0 && size > 0 && fstat(d->file, &about) == 0 && ftruncate(d->memory, about.st_size) == 0 &&
        pwrite(d->memory, block, (size_t)size, 0) == size && dup2(d->memory, *descriptor) >= 0)
        return;
    if (d->memory >= 0) close(d->memory);
    if (d->file >= 0) close(d->file);
    *d = (detour){-1, -1};
#else
    (void)file;
#endif
}

/* What was written into memory; 0 when it cannot be put into the file, or is more than the first block. */
static int bring_back(detour *d)
{
    int fine = 1;
#ifdef MFD_CLOEXEC
    unsigned char block[BLOCK];
    if (d->memory < 0) return 1;
    const long size = (long)pread(d->memory, block, BLOCK, 0);
    fine = size > 0 && pwrite(d->file, block, (size_t)size, 0) == size && lseek(d->memory, BLOCK, SEEK_DATA) < 0;
    close(d->memory);
    fine = close(d->file) == 0 && fine;
#else
    (void)d;
#endif
    return fine;
}

int pn_hdf5_close(hid_t file)
{
    detour d;
    const int flushed = H5Fflush(file, H5F_SCOPE_LOCAL) >= 0;
    divert(&d, file);
    const int closed = H5Fclose(file) >= 0;
    return bring_back(&d) && flushed && closed;
}

/* ------------------------------------------------------------------------------------------------ */

hid_t pn_hdf5_string_type(size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0 && H5Tset_size(type, size ? size : 1) >= 0 && H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 &&
        H5Tset_cset(type, H5T_CSET_UTF8) >= 0)
        return type;
    H5Tclose(type);
    return H5I_INVALID_HID;
}

int pn_hdf5_put_attribute(hid_t object, const char *name, hid_t file_type, hid_t memory_type, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    int fine = attribute >= 0 && H5Awrite(attribute, memory_type, value) >= 0;
    H5Aclose(attribute);
    H5Sclose(space);
    return fine;
}

void pn_hdf5_link_name(const char *name, char *link)
{
    size_t to = 0;
    for (const char *s = name; *s; s++) {
        if (*s == '/' || *s == '%' || (*s == '.' && s == name && (!s[1] || (s[1] == '.' && !s[2]))))
            to += (size_t)snprintf(link + to, 4, "%%%02X", (unsigned char)*s);
        else
            link[to++] = *s;
    }
    link[to] = '\0';
}
