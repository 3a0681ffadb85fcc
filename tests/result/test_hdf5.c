/* Results in HDF5, seen with the HDF5 library itself: the documented layout, no times in the file, and files
 * that are not as ours are refused. */
#define _GNU_SOURCE
#include <hdf5.h>
#include <unistd.h>

#include "result_sample.h"

static char path[] = "/tmp/pinion-hdf5-XXXXXX";

/* Makes a file that is then changed. */
static hid_t open_sample(void)
{
    pinion_result *r = sample_result(5, check_seed);
    pinion_error err = {PINION_OK, 0, 0, ""};
    CHECK_STATUS(pinion_result_save(r, path, PINION_RESULT_HDF5, &err), PINION_OK);
    pinion_result_free(r);
    return H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
}

/* The same, in the version that has no checksum. */
static hid_t open_unsummed(void)
{
    const int version = 1;
    hid_t file = open_sample(), attribute = H5Aopen(file, "pinion_result", H5P_DEFAULT);
    CHECK(H5Awrite(attribute, H5T_NATIVE_INT, &version) >= 0 && H5Aclose(attribute) >= 0);
    CHECK(H5Adelete(file, "pinion_result:sha256") >= 0);
    return file;
}

/* Closes the changed file and tells what loading it says; "" when it loads. */
static const char *load_changed(hid_t file)
{
    static pinion_error err;
    err.message[0] = '\0';
    CHECK(H5Fclose(file) >= 0);
    pinion_result *r = pinion_result_load(path, &err);
    if (!r) CHECK(err.status == PINION_ERR_PARSE && err.message[0]);
    pinion_result_free(r);
    return r ? "" : err.message;
}

TEST(layout)
{
    hid_t file = open_sample(), data, attribute, type = H5I_INVALID_HID;
    double x[5] = {0};
    int index = -1;
    char unit[8] = "";

    /* a column by its name, with its attributes */
    CHECK((data = H5Dopen2(file, "/columns/q.shoulder", H5P_DEFAULT)) >= 0);
    CHECK(H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
    pinion_result *r = sample_result(5, check_seed);
    CHECK(!memcmp(x, pinion_result_values(r, 1), sizeof x));
    pinion_result_free(r);
    CHECK((attribute = H5Aopen(data, "index", H5P_DEFAULT)) >= 0 &&
          H5Aread(attribute, H5T_NATIVE_INT, &index) >= 0);
    CHECK(index == 1);
    H5Aclose(attribute);
    CHECK((attribute = H5Aopen(data, "unit", H5P_DEFAULT)) >= 0 && (type = H5Aget_type(attribute)) >= 0);
    CHECK(H5Tget_size(type) == 3 && H5Aread(attribute, type, unit) >= 0 && !strcmp(unit, "rad"));
    H5Tclose(type);
    H5Aclose(attribute);
    H5Dclose(data);

    /* names with a slash do not make groups */
    CHECK(H5Lexists(file, "/columns/a%2Fb", H5P_DEFAULT) > 0 &&
          H5Lexists(file, "/columns/%2E", H5P_DEFAULT) > 0);
    CHECK(H5Lexists(file, "/columns/%252F", H5P_DEFAULT) > 0 &&
          H5Lexists(file, "/columns/a", H5P_DEFAULT) == 0);

    /* short texts are attributes, long ones datasets */
    CHECK(H5Aexists(file, "title") > 0 && H5Aexists(file, "model") == 0 &&
          H5Aexists(file, "pinion_result") > 0);
    CHECK(H5Lexists(file, "/texts/model", H5P_DEFAULT) > 0 &&
          H5Lexists(file, "/texts/title", H5P_DEFAULT) == 0);
    CHECK(H5Lexists(file, "/numbers/memory", H5P_DEFAULT) > 0 &&
          H5Lexists(file, "/events/text", H5P_DEFAULT) > 0);
    CHECK(!strcmp(load_changed(file), ""));
}

static herr_t check_times(hid_t object, const char *name, const H5O_info_t *info, void *count)
{
    (void)object;
    (void)name;
    CHECK(info->atime == 0 && info->mtime == 0 && info->ctime == 0 && info->btime == 0);
    ++*(int *)count;
    return 0;
}

TEST(no_times)
{
    hid_t file = open_sample();
    int count = 0;
#if H5_VERSION_GE(1, 12, 0)
    CHECK(H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, check_times, &count, H5O_INFO_TIME) >= 0);
#else
    CHECK(H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, check_times, &count) >= 0);
#endif
    CHECK(count > SAMPLE_COLUMNS);
    H5Fclose(file);
}

/* Replaces /columns/t by a dataset of another kind. */
static void replace_t(hid_t file, hid_t type, int rank, const hsize_t *size, hid_t plist)
{
    CHECK(H5Ldelete(file, "/columns/t", H5P_DEFAULT) >= 0);
    hid_t space = H5Screate_simple(rank, size, NULL);
    hid_t data = H5Dcreate2(file, "/columns/t", type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    hid_t text = H5Tcopy(H5T_C_S1), scalar = H5Screate(H5S_SCALAR);
    int zero = 0;
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {"name", "unit", "index"};
        hid_t of = i < 2 ? text : H5T_NATIVE_INT;
        hid_t attribute = H5Acreate2(data, names[i], of, scalar, H5P_DEFAULT, H5P_DEFAULT);
        CHECK(attribute >= 0 && H5Awrite(attribute, of, i < 2 ? (const void *)"t" : &zero) >= 0);
        H5Aclose(attribute);
    }
    double x[64] = {0};
    if (size[0] * (rank > 1 ? size[1] : 1) <= 64 && H5Tget_class(type) == H5T_FLOAT)
        CHECK(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
    H5Tclose(text);
    H5Sclose(scalar);
    H5Sclose(space);
    CHECK(H5Dclose(data) >= 0);
}

TEST(columns_of_another_kind)
{
    static const char plainly[] = "the column 't' is no list of numbers stored plainly in the file";
    hsize_t five[2] = {5, 1}, six = 6, huge = (hsize_t)1 << 36;
    hid_t file = open_unsummed();
    replace_t(file, H5T_IEEE_F64LE, 1, five, H5P_DEFAULT);
    CHECK(!strcmp(load_changed(file), "")); /* what replace_t makes is fine as such */
    file = open_unsummed();
    replace_t(file, H5T_IEEE_F64BE, 1, five, H5P_DEFAULT);
    CHECK(!strcmp(load_changed(file), "")); /* and so is another order of bytes */
    file = open_sample();
    replace_t(file, H5T_IEEE_F64LE, 1, five, H5P_DEFAULT);
    CHECK_HAS(load_changed(file), "does not match its checksum"); /* zeros in place of the numbers */

    /* numbers that are among the words about them */
    hid_t compact = H5Pcreate(H5P_DATASET_CREATE);
    CHECK(H5Pset_layout(compact, H5D_COMPACT) >= 0);
    for (int summed = 0; summed < 2; summed++) {
        file = summed ? open_sample() : open_unsummed();
        replace_t(file, H5T_IEEE_F64LE, 1, five, compact);
        CHECK_HAS(load_changed(file), summed ? "does not match its checksum" : "");
    }
    pinion_result *r = (file = open_unsummed(), replace_t(file, H5T_IEEE_F64LE, 1, five, compact), H5Fclose(file),
                        pinion_result_load(path, NULL));
    for (int i = 0; r && i < 5; i++) CHECK(pinion_result_values(r, 0)[i] == 0);
    CHECK(r && pinion_result_row_count(r) == 5);
    pinion_result_free(r);
    H5Pclose(compact);

    file = open_sample();
    replace_t(file, H5T_IEEE_F64LE, 1, &six, H5P_DEFAULT);
    CHECK_HAS(load_changed(file), "has 5 rows; expected 6 as in the first");
    file = open_sample();
    replace_t(file, H5T_IEEE_F64LE, 2, five, H5P_DEFAULT);
    CHECK_HAS(load_changed(file), plainly);
    file = open_sample();
    replace_t(file, H5T_IEEE_F32LE, 1, five, H5P_DEFAULT);
    CHECK_HAS(load_changed(file), plainly);
    file = open_sample();
    replace_t(file, H5T_STD_I64LE, 1, five, H5P_DEFAULT);
    CHECK_HAS(load_changed(file), plainly);

    /* 512 GiB that the file does not have */
    file = open_sample();
    replace_t(file, H5T_IEEE_F64LE, 1, &huge, H5P_DEFAULT);
    CHECK_HAS(load_changed(file), plainly);

    /* chunks and filters, which can grow when they are read; another file */
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    CHECK(H5Pset_chunk(plist, 1, five) >= 0 && H5Pset_shuffle(plist) >= 0);
    file = open_sample();
    replace_t(file, H5T_IEEE_F64LE, 1, five, plist);
    CHECK_HAS(load_changed(file), plainly);
    H5Pclose(plist);
    plist = H5Pcreate(H5P_DATASET_CREATE);
    CHECK(H5Pset_external(plist, "/etc/passwd", 0, 40) >= 0);
    file = open_sample();
    hsize_t hundred = 100; /* more than replace_t writes */
    CHECK(H5Pset_external(plist, "/etc/passwd", 40, 760) >= 0);
    replace_t(file, H5T_IEEE_F64LE, 1, &hundred, plist);
    CHECK_HAS(load_changed(file), plainly);
    H5Pclose(plist);
}

TEST(links)
{
    /* links to elsewhere are not followed */
    hid_t file = open_sample();
    CHECK(H5Ldelete(file, "/columns/t", H5P_DEFAULT) >= 0);
    CHECK(H5Lcreate_external("/etc/passwd", "/x", file, "/columns/t", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    CHECK_HAS(load_changed(file), "'t' in the group 'columns' is no dataset");
    file = open_sample();
    CHECK(H5Ldelete(file, "/columns/t", H5P_DEFAULT) >= 0);
    CHECK(H5Lcreate_soft("/columns/q.shoulder", file, "/columns/t", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    CHECK_HAS(load_changed(file), "'t' in the group 'columns' is no dataset");

    /* two names of one dataset, and a group where a dataset should be */
    file = open_sample();
    CHECK(H5Lcreate_hard(file, "/columns/q.shoulder", file, "/columns/zz", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    CHECK_HAS(load_changed(file), "lacks an attribute 'index' of its own");
    file = open_sample();
    CHECK(H5Ldelete(file, "/columns/t", H5P_DEFAULT) >= 0);
    CHECK(H5Lcreate_hard(file, "/numbers", file, "/columns/t", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    CHECK_HAS(load_changed(file), "'t' in the group 'columns' is no dataset");
}

TEST(missing_parts)
{
    static const struct {
        const char *link, *message;
    } cases[] = {
        {"/columns", "the group 'columns' is missing"},
        {"/columns/t", "lacks an attribute 'index' of its own"}, /* the last index is out of range then */
        {"/keys", "the dataset 'keys' is missing"},
        {"/texts", "the text 'model' is missing"},
        {"/events/t", "the datasets of 'events' are not as expected"},
        {"/events", ""},
        {"/numbers", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hid_t file = *cases[i].message ? open_sample() : open_unsummed();
        CHECK(H5Ldelete(file, cases[i].link, H5P_DEFAULT) >= 0);
        const char *message = load_changed(file);
        if (*cases[i].message) {
            CHECK_HAS(message, cases[i].message);
        } else {
            CHECK(!strcmp(message, ""));
            file = open_sample();
            CHECK(H5Ldelete(file, cases[i].link, H5P_DEFAULT) >= 0);
            CHECK_HAS(load_changed(file), "does not match its checksum");
        }
    }
    static const char *const attributes[] = {"pinion_result", "title", "pinion_result:sha256"};
    static const char *const messages[] = {"no result; expected an attribute 'pinion_result'",
                                           "the text 'title' is missing", "does not match its checksum"};
    for (int i = 0; i < 3; i++) {
        hid_t file = open_sample();
        CHECK(H5Adelete(file, attributes[i]) >= 0);
        CHECK_HAS(load_changed(file), messages[i]);
    }

    /* strings of any length live elsewhere in the file: not ours */
    hid_t file = open_sample(), type = H5Tcopy(H5T_C_S1), scalar = H5Screate(H5S_SCALAR);
    const char *text = "title";
    CHECK(H5Adelete(file, "title") >= 0 && H5Tset_size(type, H5T_VARIABLE) >= 0);
    hid_t attribute = H5Acreate2(file, "title", type, scalar, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(attribute >= 0 && H5Awrite(attribute, type, &text) >= 0);
    H5Aclose(attribute);
    H5Sclose(scalar);
    H5Tclose(type);
    CHECK_HAS(load_changed(file), "the text 'title' is missing, or no string of fixed length");
}

/* A group of the newer kind, which it becomes with a link to another file, and stays without it. */
static void renew_columns(void)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    CHECK(H5Lcreate_external("/etc/passwd", "/x", file, "/columns/zz", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    CHECK(H5Ldelete(file, "/columns/zz", H5P_DEFAULT) >= 0 && H5Fclose(file) >= 0);
}

/* Few columns and many: groups of the newer kind have their links in themselves, in one block, in a table of blocks. */
TEST(columns_by_the_dozen)
{
    for (int n = 1; n < 80; n += n < 20 ? 1 : 13) {
        pinion_result *r = pinion_result_new(), *again;
        double x[80];
        for (int i = 0; i < n; i++) {
            char name[20];
            snprintf(name, sizeof name, "c%d", i);
            x[i] = 1.0 / (i + 3);
            CHECK_STATUS(pinion_result_add_column(r, name, "m"), PINION_OK);
        }
        CHECK_STATUS(pinion_result_add_row(r, x), PINION_OK);
        CHECK_STATUS(pinion_result_save(r, path, PINION_RESULT_HDF5, NULL), PINION_OK);
        for (int newer = 0; newer < 2; newer++) {
            if (newer) renew_columns();
            again = pinion_result_load(path, NULL);
            CHECK(again && sample_equal(r, again, 1));
            pinion_result_free(again);
        }
        pinion_result_free(r);
    }
}

/* The bytes of a sample, which are changed and written back. */
static unsigned char *sample_bytes(int newer, size_t *size)
{
    CHECK(H5Fclose(open_sample()) >= 0);
    if (newer) renew_columns();
    FILE *f = fopen(path, "rb");
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    unsigned char *bytes = malloc(*size + 1);
    CHECK(bytes && fread(bytes, 1, *size, f) == *size);
    fclose(f);
    return bytes;
}

/* What loading them says, "" where they are the sample all the same. */
static const char *load_bytes(const unsigned char *bytes, size_t size)
{
    static pinion_error err;
    pinion_result *sample = sample_result(5, check_seed);
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(bytes, 1, size, f) == size && fclose(f) == 0);
    err.message[0] = '\0';
    pinion_result *r = pinion_result_load(path, &err);
    CHECK(r ? sample_equal(r, sample, 1) : err.status == PINION_ERR_PARSE && err.message[0]);
    pinion_result_free(r);
    pinion_result_free(sample);
    return err.message;
}

/* A table of blocks that is none, and of another version. */
TEST(damaged_tables)
{
    size_t size, tables = 0;
    unsigned char *bytes = sample_bytes(1, &size);
    for (size_t i = 0; bytes && i + 5 < size; i++) {
        if (memcmp(bytes + i, "FHIB", 4) != 0) continue;
        for (int k = 0; k < 5; k += 4) {
            bytes[i + (size_t)k] ^= 1;
            CHECK_HAS(load_bytes(bytes, size), "the group 'columns' ");
            bytes[i + (size_t)k] ^= 1;
        }
        tables++;
    }
    CHECK(tables == 1);
    free(bytes);
}

/* Datasets whose head says that it has all the rest of the file: no more is read than the file has, in all. Where there
 * is enough left to read, what is behind the head is not looked at. */
TEST(heads_of_any_size)
{
    size_t size, told = 0;
    unsigned char *bytes = sample_bytes(0, &size);
    haddr_t at[SAMPLE_COLUMNS];
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), columns = H5Gopen2(file, "/columns", H5P_DEFAULT);
    for (int i = 0; i < SAMPLE_COLUMNS; i++) {
#if H5_VERSION_GE(1, 12, 0)
        H5O_info1_t about;
#else
        H5O_info_t about;
#endif
        CHECK(H5Oget_info_by_idx1(columns, ".", H5_INDEX_NAME, H5_ITER_INC, (hsize_t)i, &about, H5P_DEFAULT) >= 0);
        at[i] = about.addr;
    }
    CHECK(H5Gclose(columns) >= 0 && H5Fclose(file) >= 0);
    for (int i = 0; bytes && i < SAMPLE_COLUMNS; i++) {
        unsigned char *head = bytes + at[i] + 8, before[4];
        const size_t rest = size - (size_t)at[i] - 16;
        memcpy(before, head, 4);
        for (int k = 0; k < 4; k++) head[k] = (unsigned char)(rest >> (8 * k));
        told += strstr(load_bytes(bytes, size), "what it names is larger than the file") != NULL;
        memcpy(head, before, 4);
    }
    CHECK(told > 0);
    free(bytes);
}

/* Another program's settings of the library stay as they were, and its errors are still printed. */
TEST(settings_of_the_library)
{
    H5E_auto2_t before, after;
    void *data_before, *data_after;
    CHECK(H5Eget_auto2(H5E_DEFAULT, &before, &data_before) >= 0);
    hid_t file = open_sample();
    load_changed(file);
    CHECK(H5Eget_auto2(H5E_DEFAULT, &after, &data_after) >= 0 && before == after &&
          data_before == data_after);
    CHECK(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) == 0); /* nothing is left open */
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    int made = mkstemp(path);
    if (made < 0) return 1;
    close(made);
    RUN(layout);
    RUN(no_times);
    RUN(columns_of_another_kind);
    RUN(links);
    RUN(missing_parts);
    RUN(columns_by_the_dozen);
    RUN(damaged_tables);
    RUN(heads_of_any_size);
    RUN(settings_of_the_library);
    unlink(path);
    return CHECK_END();
}
