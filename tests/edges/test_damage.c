/* Results and checkpoints in HDF5 that are damaged or made to break a reader: each is refused in one line, or
 * gives exactly what was written. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <hdf5.h>
#include <unistd.h>

#include "sim/result/result_table.h"
#include "result/result_sample.h"

static char path[] = "/tmp/pinion-damage-XXXXXX";

static void put(const void *bytes, size_t size)
{
    int file = open(path, O_WRONLY | O_TRUNC);
    CHECK(file >= 0 && write(file, bytes, size) == (ssize_t)size && close(file) == 0);
}

/* Loads the file: 1 when it has that checksum, 0 when it is refused as it should. */
static int load(const char *sum)
{
    char now[65];
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_result *r = pinion_result_load(path, &err);
    if (!r) {
        if (err.status != PINION_ERR_PARSE || !err.message[0] || strchr(err.message, '\n'))
            CHECK_FAIL("status %d, message '%s'", (int)err.status, err.message);
        return 0;
    }
    pn_result_sum(r, now);
    if (strcmp(now, sum) != 0) CHECK_FAIL("other content, and nothing was said");
    pinion_result_free(r);
    return 1;
}

/* Makes groups of the later kind of all groups in the file, as they are where names are marked as UTF-8. */
static void modernize(void)
{
    static const char *const links[] = {"/zz", "/columns/zz", "/texts/zz", "/numbers/zz", "/events/zz"};
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), names = H5Pcreate(H5P_LINK_CREATE);
    CHECK(H5Pset_char_encoding(names, H5T_CSET_UTF8) >= 0);
    for (int i = 0; i < 5; i++) {
        CHECK(H5Lcreate_soft("/keys", file, links[i], names, H5P_DEFAULT) >= 0);
        CHECK(H5Ldelete(file, links[i], H5P_DEFAULT) >= 0);
    }
    H5Pclose(names);
    CHECK(H5Fclose(file) >= 0);
}

/* The bytes of the file, in new memory. */
static char *get(size_t *size)
{
    FILE *f = fopen(path, "rb");
    CHECK(f && fseek(f, 0, SEEK_END) == 0);
    *size = (size_t)ftell(f);
    char *bytes = malloc(*size);
    rewind(f);
    CHECK(bytes && fread(bytes, 1, *size, f) == *size);
    fclose(f);
    return bytes;
}

TEST(flipped_bits_and_cut_files)
{
    uint64_t seed = check_seed;
    int loaded = 0, refused = 0;
    for (int kind = 0; kind < 3; kind++) {
        pinion_result *r = sample_result(kind ? 40 : 2, check_seed + (unsigned)kind);
        pinion_error err = {PINION_OK, 0, 0, ""};
        char sum[65];
        char text[5001] = "";
        size_t size = 0;
        memset(text, 'm', sizeof text - 1);
        CHECK_STATUS(pinion_result_set(r, "model", text),
                     PINION_OK); /* longer than an attribute, and not much more */
        pn_result_sum(r, sum);
        CHECK_STATUS(pinion_result_save(r, path, PINION_RESULT_HDF5, &err), PINION_OK);
        if (kind == 2) modernize();
        char *image = get(&size), *copy = malloc(size);
        CHECK(load(sum) == 1);
        for (int round = 0; round < check_rounds(400); round++) {
            memcpy(copy, image, size);
            const int flips = 1 + (int)(3 * check_uniform(&seed));
            for (int i = 0; i < flips; i++)
                copy[(size_t)((double)size * check_uniform(&seed))] ^=
                    (char)(1 << (int)(8 * check_uniform(&seed)));
            const size_t length = round % 10 ? size : (size_t)((double)size * check_uniform(&seed));
            put(copy, length < 8 ? 8 : length);
            if (memcmp(copy, image, 8) != 0) continue; /* it is no HDF5 then */
            load(sum) ? loaded++ : refused++;
        }
        free(copy);
        free(image);
        pinion_result_free(r);
    }
    printf("  %d gave what was written, %d were refused\n", loaded, refused);
    CHECK(refused > loaded);
}

/* So many columns that the tree of their names has three levels. */
TEST(many_columns)
{
    enum { COLUMNS = 9000 };
    static double row[COLUMNS];
    pinion_result *r = pinion_result_new();
    pinion_error err = {PINION_OK, 0, 0, ""};
    char name[16], sum[65];
    for (int i = 0; i < COLUMNS; i++) {
        snprintf(name, sizeof name, "c%d", i * 7919 % COLUMNS);
        row[i] = i + 0.25;
        if (pinion_result_add_column(r, name, "m") != PINION_OK) CHECK_FAIL("column %d", i);
    }
    CHECK_STATUS(pinion_result_add_row(r, row), PINION_OK);
    CHECK_STATUS(pinion_result_save(r, path, PINION_RESULT_HDF5, &err), PINION_OK);
    pn_result_sum(r, sum);
    CHECK(load(sum) == 1);
    modernize();
    CHECK(load(sum) == 1);
    pinion_result_free(r);
}

/* Two hundred names of one text must not take two hundred times its memory. */
TEST(many_names_of_one_text)
{
    enum { LONG = 1 << 20, NAMES = 200 };
    pinion_result *r = pinion_result_new();
    char *text = malloc(LONG + 1), keys[NAMES][8];
    memset(text, 'x', LONG);
    text[LONG] = 0;
    const double zero = 0;
    pinion_error err = {PINION_OK, 0, 0, ""};
    CHECK_STATUS(pinion_result_set(r, "k000", text), PINION_OK);
    CHECK_STATUS(pinion_result_add_column(r, "t", "s"), PINION_OK);
    CHECK_STATUS(pinion_result_add_row(r, &zero), PINION_OK);
    CHECK_STATUS(pinion_result_save(r, path, PINION_RESULT_HDF5, &err), PINION_OK);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), type = H5Tcopy(H5T_C_S1);
    memset(keys, 0, sizeof keys);
    for (int i = 0; i < NAMES; i++) {
        char link[32];
        snprintf(keys[i], sizeof keys[i], "k%03d", i);
        snprintf(link, sizeof link, "/texts/%s", keys[i]);
        if (i) CHECK(H5Lcreate_hard(file, "/texts/k000", file, link, H5P_DEFAULT, H5P_DEFAULT) >= 0);
    }
    hsize_t count = NAMES;
    hid_t space = H5Screate_simple(1, &count, NULL);
    CHECK(H5Tset_size(type, sizeof keys[0]) >= 0 && H5Ldelete(file, "/keys", H5P_DEFAULT) >= 0);
    hid_t data = H5Dcreate2(file, "/keys", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, keys) >= 0 && H5Dclose(data) >= 0);
    H5Sclose(space);
    H5Tclose(type);
    CHECK(H5Fclose(file) >= 0);
    CHECK(!pinion_result_load(path, &err));
    CHECK_HAS(err.message, "what it names is larger than the file");
    free(text);
    pinion_result_free(r);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    int made = mkstemp(path);
    if (made < 0) return 1;
    close(made);
    RUN(flipped_bits_and_cut_files);
    RUN(many_columns);
    RUN(many_names_of_one_text);
    unlink(path);
    return CHECK_END();
}
