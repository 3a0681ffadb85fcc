#include "cli/args/command_line.h"

#include <stdlib.h>
#include <string.h>

/* Characters that mean themselves to every shell. */
static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,+=@%";

/* Writes the text behind `to` if that is there; returns how many bytes it takes. */
static size_t put(char *to, const char *text, size_t length)
{
    if (to) memcpy(to, text, length);
    return length;
}

/* One argument, in single quotes where it needs them. */
static size_t put_argument(char *to, const char *text)
{
    size_t size = 0;
    if (*text && !text[strspn(text, plain)]) return put(to, text, strlen(text));
    size += put(to, "'", 1);
    for (; *text; text++) {
        const char *written = *text == '\'' ? "'\\''" : text;
        size += put(to ? to + size : NULL, written, written == text ? 1 : 4);
    }
    return size + put(to ? to + size : NULL, "'", 1);
}

/* The whole line; without `to` only its length. */
static size_t put_line(char *to, const cli_args *args)
{
    size_t size = put(to, "pinion ", 7);
    size += put(to ? to + size : NULL, args->command->name, strlen(args->command->name));
    for (int i = 0; i < args->argc; i++) {
        size += put(to ? to + size : NULL, " ", 1);
        size += put_argument(to ? to + size : NULL, args->argv[i]);
    }
    return size;
}

char *pn_cli_command_line(const cli_args *args)
{
    const size_t size = put_line(NULL, args);
    char *text = malloc(size + 1);
    if (!text) return NULL;
    put_line(text, args);
    text[size] = '\0';
    return text;
}
