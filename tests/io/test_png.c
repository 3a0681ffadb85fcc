/* Pictures in PNG files, as heights: packed by zlib in its three ways, of every kind of pixel, and broken ones. That
 * they are what MuJoCo makes of them was found with its own reader: the red part of colours, the upper 8 of 16 bits. */
#include "support/check.h"

#include "io/image/png.h"

/* A picture of `packed`, hexadecimal, which is what zlib made of its rows; a palette, too. Returns its size. */
static size_t make(unsigned char *out, int width, int height, int depth, int colour, const char *packed)
{
    static const unsigned char mark[16] = {137, 'P', 'N', 'G', 13, 10, 26, 10, 0, 0, 0, 13, 'I', 'H', 'D', 'R'};
    static const unsigned char palette[12] = {10, 1, 1, 20, 2, 2, 30, 3, 3, 250, 4, 4};
    const size_t length = strlen(packed) / 2;
    size_t at = 0;
    memset(out, 0, length + 200);
    memcpy(out, mark, sizeof mark);
    out[19] = (unsigned char)width;
    out[23] = (unsigned char)height;
    out[24] = (unsigned char)depth;
    out[25] = (unsigned char)colour;
    at = 33; /* behind a checksum, which is not looked at */
    out[at + 3] = 12;
    memcpy(out + at + 4, "PLTE", 4);
    memcpy(out + at + 8, palette, sizeof palette);
    at += 24;
    /* in two parts, of which the first has three bytes */
    for (size_t part = 0; part < 2; part++) {
        const size_t from = part ? 3 : 0, to = part ? length : 3;
        out[at + 2] = (unsigned char)((to - from) >> 8);
        out[at + 3] = (unsigned char)(to - from);
        memcpy(out + at + 4, "IDAT", 4);
        for (size_t i = from; i < to; i++) {
            unsigned byte = 0;
            CHECK(sscanf(packed + 2 * i, "%2x", &byte) == 1);
            out[at + 8 + i - from] = (unsigned char)byte;
        }
        at += 12 + to - from;
    }
    memcpy(out + at + 4, "IEND", 4);
    return at + 12;
}

/* The rows below: a grey picture of 6 rows, each with another filter. */
static double grey(int row, int column)
{
    return (37 * row * row + 11 * column * column + 5 * row * column + 3) % 256;
}
static const char stored[] = "7801011e00e1ff00030e2f66012810263c026f74797e0305ecfa870403080d12044d243a5060f306c0";
static const char fixed[] = "78016360e6d34f63d41050b361ca2fa9ac63667df3ab9d8599835788c557c52a000060f306c0";

/* 20 rows of 24, whose codes are written out. */
static double coded(int row, int column)
{
    return (row * column + column * column / 5) % 7 * 30;
}
static const char dynamic[] =
        "78daed8eb10d030108033d8927f1244cc2244cc280399ae88befd2c60508ebb02c49ae51265b9aaed8a99eb3d3aacd76"
        "f04f50bd1153ed89161c74793696a0cbe03e819a1b7275e3a22f78dd5f4e1a4c74059ea16291fbd2e05ff7f7ba1fb2c3"
        "a2a9";

static void check(const char *packed, int width, int height, int depth, int colour, double (*value)(int, int))
{
    unsigned char file[2000];
    double *x = NULL;
    int columns = 0, rows = 0;
    const size_t size = make(file, width, height, depth, colour, packed);
    const char *why = pn_png_heights(file, size, &columns, &rows, &x);
    if (why) CHECK_FAIL("%s", why);
    CHECK(columns == width && rows == height);
    for (int i = 0; x && i < height; i++)
        for (int k = 0; k < width; k++) CHECK_NEAR(x[i * width + k], value(i, k), 0);
    free(x);
}

TEST(blocks_and_filters)
{
    check(stored, 4, 6, 8, 0, grey);
    check(fixed, 4, 6, 8, 0, grey);
    check(dynamic, 24, 20, 8, 0, coded);
}

TEST(pixels)
{
    static const struct {
        const char *what, *packed;
        int width, height, depth, colour;
        double expected[10];
    } kinds[] = {
        {"16 bits", "7801010a00f5ff0001c80200000309ffff098502d6",
         2, 2, 16, 0, {1, 2, 3, 255}},
        {"colours", "7801010e00f1ff000109090209090003090904090902210053",
         2, 2, 8, 2, {1, 2, 3, 4}},
        {"colours of 16 bits", "7801011a00e5ff00010009090909020009090909000300090909090400090909090755009b",
         2, 2, 16, 2, {1, 2, 3, 4}},
        {"palette", "7801010600f9ff00000100020300110007",
         2, 2, 8, 3, {10, 20, 30, 250}},
        {"palette of 2 bits", "7801010400fbff001b00e401390100",
         4, 2, 2, 3, {10, 20, 30, 250, 250, 30, 20, 10}},
        {"grey and alpha", "7801010a00f5ff0001090209000309040900d7002f",
         2, 2, 8, 4, {1, 2, 3, 4}},
        {"colours and alpha", "7801011200edff00010909090209090900030909090409090903fb0077",
         2, 2, 8, 6, {1, 2, 3, 4}},
        {"1 bit", "7801010400fbff00b00048025c00f9",
         5, 2, 1, 0, {255, 0, 255, 255, 0, 0, 255, 0, 0, 255}},
        {"4 bits", "7801010600f9ff000f30005a1001d500aa",
         3, 2, 4, 0, {0, 255, 51, 85, 170, 17}},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        unsigned char file[600];
        double *x = NULL;
        int columns, rows;
        const int depth = kinds[i].depth, colour = kinds[i].colour;
        const size_t size = make(file, kinds[i].width, kinds[i].height, depth, colour, kinds[i].packed);
        const char *why = pn_png_heights(file, size, &columns, &rows, &x);
        if (why) CHECK_FAIL("%s: %s", kinds[i].what, why);
        for (int k = 0; x && k < kinds[i].width * kinds[i].height; k++) CHECK_NEAR(x[k], kinds[i].expected[k], 0);
        free(x);
    }
}

/* Whatever is cut off or changed, it is an error or a picture of that size, and nothing is leaked or read beyond. */
TEST(broken)
{
    static const char *const packed[] = {stored, fixed, dynamic};
    static const struct {
        int at, value;
        const char *why;
    } wrong[] = {{0, 0, "no PNG file"},       {15, 'S', "no header"},     {11, 12, "a header that is broken"},
                 {24, 3, "does not exist"},   {25, 5, "does not exist"},  {28, 1, "interlaced"},
                 {19, 1, "fewer than 2 rows"}, {16, 255, "16777216 pixels"}, {23, 7, "packed data that is broken"},
                 {23, 5, "packed data that is broken"}};
    unsigned char file[2000];
    double *x = NULL;
    int columns, rows;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const size_t size = make(file, 4, 6, 8, 0, fixed);
        file[wrong[i].at] = (unsigned char)wrong[i].value;
        CHECK_HAS(pn_png_heights(file, size, &columns, &rows, &x), wrong[i].why);
        CHECK(!x);
    }
    for (int p = 0; p < 3; p++) {
        const size_t size = make(file, p < 2 ? 4 : 24, p < 2 ? 6 : 20, 8, 0, packed[p]);
        for (size_t cut = 0; cut < size - 4; cut++) {
            unsigned char *part = malloc(cut + 1); /* so that a sanitizer sees its end */
            if (!part) break;
            memcpy(part, file, cut);
            const char *why = pn_png_heights(part, cut, &columns, &rows, &x);
            CHECK((why && *why && !x) || (!why && cut >= size - 4));
            free(x);
            free(part);
        }
        for (size_t bit = 8 * 57; bit < 8 * (size - 12); bit++) {
            file[bit / 8] ^= (unsigned char)(1 << bit % 8);
            const char *why = pn_png_heights(file, size, &columns, &rows, &x);
            CHECK(!why == !!x);
            free(x);
            file[bit / 8] ^= (unsigned char)(1 << bit % 8);
        }
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(blocks_and_filters);
    RUN(pixels);
    RUN(broken);
    return CHECK_END();
}
