/* The reader of CSV files: what it understands, and one line of error for what it does not. */

#include "check.h"
#include "comma.h"
#include "sim/result/csv.h"

/* Reads a text as a file named "f". */
static pinion_status parse_bytes(const char *text, size_t size, pn_csv *csv, pinion_error *err)
{
    char *copy = malloc(size + 1);
    if (!copy) return PINION_ERR_MEMORY;
    memcpy(copy, text, size);
    copy[size] = '\0';
    return pn_csv_parse(copy, size, "f", csv, err);
}

static pinion_status parse(const char *text, pn_csv *csv, pinion_error *err)
{
    return parse_bytes(text, strlen(text), csv, err);
}

/* Whether the unit of a column is this, "" for none, and the name before it that long. */
static int has_unit(const pn_csv *csv, int column, const char *unit, size_t before)
{
    size_t length;
    const char *at = pn_csv_unit(csv->name[column], &length);
    if (!at) return !*unit && length == strlen(csv->name[column]);
    return length == before && strlen(at) == strlen(unit) + 1 && !memcmp(at, unit, strlen(unit));
}

TEST(names_and_units)
{
    pn_csv csv;
    CHECK_STATUS(parse("t [s], q.shoulder[rad] ,\"a \"\"b\"\", c [m/s^2]\",plain\n0,1,2,3\n", &csv, NULL),
                 PINION_OK);
    CHECK(csv.columns == 4 && csv.rows == 1);
    CHECK(!strcmp(csv.name[0], "t [s]") && has_unit(&csv, 0, "s", 1) && !csv.quoted[0]);
    CHECK(!strcmp(csv.name[1], "q.shoulder[rad]") && has_unit(&csv, 1, "rad", 10) && !csv.quoted[1]);
    CHECK(!strcmp(csv.name[2], "a \"b\", c [m/s^2]") && has_unit(&csv, 2, "m/s^2", 8) && csv.quoted[2]);
    CHECK(!strcmp(csv.name[3], "plain") && has_unit(&csv, 3, "", 5));
    CHECK(pn_csv_find(&csv, "plain") == 3 && pn_csv_find(&csv, "plain ") == -1);

    /* with the unit and without */
    CHECK(pn_csv_find(&csv, "t") == 0 && pn_csv_find(&csv, "t [s]") == 0 && pn_csv_find(&csv, "t [m]") == -1);
    CHECK(pn_csv_find(&csv, "q.shoulder") == 1 && pn_csv_find(&csv, "a \"b\", c") == 2);
    pn_csv_free(&csv);

    /* a name as it is goes first; of two that differ in the unit alone it is neither */
    CHECK_STATUS(parse("a [m],a,b [m],b [s]\n0,1,2,3\n", &csv, NULL), PINION_OK);
    CHECK(pn_csv_find(&csv, "a") == 1 && pn_csv_find(&csv, "b") == -1 && pn_csv_find(&csv, "b [s]") == 3);
    pn_csv_free(&csv);

    /* quotes keep blanks and line ends, and make a name of what looks like a number */
    CHECK_STATUS(parse("\"1\",\" a  [m]\",\"b\nc\",\"[]\"\n0,1,2,3\n", &csv, NULL), PINION_OK);
    CHECK(!strcmp(csv.name[0], "1") && !strcmp(csv.name[1], " a  [m]") && has_unit(&csv, 1, "m", 2));
    CHECK(!strcmp(csv.name[2], "b\nc") && !strcmp(csv.name[3], "[]"));
    CHECK(csv.line[0] == 3);
    pn_csv_free(&csv);
}

TEST(rows_without_names)
{
    pn_csv csv;
    CHECK_STATUS(parse("1, -2.5e-3 ,.5\n+4,nan,-INF", &csv, NULL), PINION_OK);
    CHECK(!csv.name && !csv.quoted && csv.columns == 3 && csv.rows == 2 && pn_csv_find(&csv, "t") == -1);
    CHECK(csv.values[0] == 1 && csv.values[1] == -2.5e-3 && csv.values[2] == 0.5 && csv.values[3] == 4);
    CHECK(isnan(csv.values[4]) && csv.values[5] == -INFINITY);
    CHECK(csv.line[0] == 1 && csv.line[1] == 2);
    pn_csv_free(&csv);
}

TEST(comments_and_empty_lines)
{
    pn_csv csv;
    CHECK_STATUS(
        parse("\xef\xbb\xbf# one\r\n#two\n\n \t\r\na,b\r\n  #three \n1,2\r\n\r\n# \n3,4\n#", &csv, NULL),
        PINION_OK);
    CHECK(csv.rows == 2 && csv.columns == 2);
    CHECK(csv.line[0] == 7 && csv.line[1] == 10 && !strcmp(csv.name[1], "b") && csv.values[3] == 4);
    pn_csv_free(&csv);

    /* names alone are a table without rows */
    CHECK_STATUS(parse("a,b", &csv, NULL), PINION_OK);
    CHECK(csv.columns == 2 && csv.rows == 0);
    pn_csv_free(&csv);
}

TEST(complaints)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "f: there are no rows"},
        {"# only\n\n", "f: there are no rows"},
        {"1,2\n3\n", "f:2: 1 value in a row; expected 2"},
        {"1,2\n\n3,4,5\n", "f:3: more values than 2 in a row"},
        {"a,b\n1,\n", "f:2: column 2 (b) is empty"},
        {"a,b\n1,x\n", "f:2: 'x' in column 2 (b) is not a number"},
        {"1,2\n1,1e999\n", "f:2: '1e999' in column 2 is not a number, or too large"},
        {"a\n1;2\n", "f:2: '1;2'"},
        {"a\n0x10\n", "f:2: '0x10'"},
        {"a\n1,5\n", "f:2: more values than 1"},
        {"a,1\n", "f:1: the first row has names and numbers ('1' in column 2)"},
        {"a,\n", "f:1: column 2 has no name"},
        {"a,[m]\n", "f:1: column 2 has no name"},
        {"a [m],b,a [m]\n", "f:1: two columns are named 'a [m]'"},
        {"a,\"b\n1,2\n", "f:1: a quotation mark opens here"},
        {"a\n\"1\"2\n", "f:2: something follows a closing quotation mark"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pn_csv csv;
        pinion_error err = {PINION_OK, 0, 0, ""};
        CHECK_STATUS(parse(cases[i].text, &csv, &err), PINION_ERR_PARSE);
        CHECK_HAS(err.message, cases[i].message);
        CHECK(!csv.text && !csv.values && !csv.columns); /* nothing is left to be freed */
        CHECK_STATUS(parse(cases[i].text, &csv, NULL), PINION_ERR_PARSE);
    }
    pn_csv csv;
    pinion_error err;
    CHECK_STATUS(parse_bytes("1\n2\0\n", 5, &csv, &err), PINION_ERR_PARSE);
    CHECK_HAS(err.message, "f:2: a zero byte");
    CHECK_STATUS(pn_csv_load("/nonexistent/x.csv", &csv, &err), PINION_ERR_FILE);
    CHECK_HAS(err.message, "/nonexistent/x.csv: cannot be read: ");
    CHECK_STATUS(pn_csv_load("", &csv, &err), PINION_ERR_ARGUMENT);
}

TEST(limits)
{
    /* one column too many */
    size_t width = PN_CSV_COLUMNS_MAX + 1;
    char *text = malloc(2 * width + 1);
    if (!text) return;
    for (size_t i = 0; i < width; i++) memcpy(text + 2 * i, "1,", 2);
    text[2 * width - 1] = '\n';
    text[2 * width] = '\0';
    pn_csv csv;
    pinion_error err;
    CHECK_STATUS(parse(text, &csv, &err), PINION_ERR_PARSE);
    CHECK_HAS(err.message, "too many columns");
    text[2 * width - 3] = '\0';
    CHECK_STATUS(parse(text, &csv, &err), PINION_OK);
    CHECK(csv.columns == PN_CSV_COLUMNS_MAX);
    pn_csv_free(&csv);
    free(text);
}

TEST(numbers_in_any_locale)
{
    if (!comma_locale()) SKIP("no locale with a decimal comma is installed");
    pn_csv csv;
    CHECK_STATUS(parse("t,x\n0.5,1.25e-2\n", &csv, NULL), PINION_OK);
    if (csv.rows) CHECK(csv.values[0] == 0.5 && csv.values[1] == 1.25e-2);
    pn_csv_free(&csv);
    setlocale(LC_ALL, "C");
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(names_and_units);
    RUN(rows_without_names);
    RUN(comments_and_empty_lines);
    RUN(complaints);
    RUN(limits);
    RUN(numbers_in_any_locale);
    return CHECK_END();
}
