/* Fuzzes the SRDF reader: any bytes beside a robot give a model or one line of error. */
#define _GNU_SOURCE
#include "pinion/pinion.h"

#include "fuzz/mutate_xml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char robot[] =
    "<robot name='r'><link name='base'/><link name='a'/><link name='b'/><link name='tool'/><link name='f'/>"
    "<joint name='j1' type='continuous'><parent link='base'/><child link='a'/></joint>"
    "<joint name='j2' type='prismatic'><parent link='a'/><child link='b'/></joint>"
    "<joint name='weld' type='fixed'><parent link='b'/><child link='tool'/></joint>"
    "<joint name='loose' type='floating'><parent link='base'/><child link='f'/></joint></robot>";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* a file in memory, since the option takes a path */
    static int file = -1;
    char path[64];
    if (file < 0) file = memfd_create("srdf", 0);
    if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != (ssize_t)size) return 0;
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    for (int strict = 0; strict < 2; strict++) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        pinion_load_options o = pinion_load_options_default();
        o.srdf = path;
        o.strict = strict;
        pinion_model *m = pinion_load_string(robot, sizeof robot - 1, PINION_FORMAT_URDF, "r", &o, &err);
        if (!m && (err.status == PINION_OK || !err.message[0] || strchr(err.message, '\n'))) abort();
        if (m && pinion_model_nv(m) != 8) abort();
        pinion_model_free(m);
    }
    return 0;
}
