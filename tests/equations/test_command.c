/* pinion equations: its formats and options, and that docs/equations.md and README.md show what it prints. */
#define _DEFAULT_SOURCE
#include "command/command.h"

static const char *const files[] = {"arm.tex", "arm.txt", "arm.json", NULL};

/* The text of a page of the repository; NULL where it is not beside the models. */
static char *read_page(const char *name)
{
    char path[700];
    const char *models = getenv("PINION_MODELS");
    snprintf(path, sizeof path, "%s/../%s", models ? models : "models", name);
    return read_file(path);
}

/* Runs a command line of the document, its model being a bundled one. */
static answer run_line(const char *line)
{
    static char word[ARGUMENTS][120];
    static char model[700];
    const char *list[ARGUMENTS];
    int count = 0;
    while (*line && count < ARGUMENTS - 1) {
        const size_t length = strcspn(line, " ");
        snprintf(word[count], sizeof word[0], "%.*s", (int)length, line);
        list[count] = word[count];
        if (strncmp(word[count], "models/", 7) == 0) {
            snprintf(model, sizeof model, "%s", bundled(word[count] + 7));
            list[count] = model;
        }
        count++;
        line += length + strspn(line + length, " ");
    }
    return run_list(NULL, list, count);
}

TEST(the_document_shows_what_is_printed)
{
    static const char begin[] = "```text\n$ pinion ";
    char *page = read_page("docs/equations.md");
    int blocks = 0;
    if (!page) SKIP("the documents are not beside the models");
    for (char *at = page; (at = strstr(at, begin)) != NULL;) {
        char *line = at + sizeof begin - 1, *text = strchr(line, '\n') + 1, *end = strstr(text, "```\n");
        CHECK(end != NULL);
        if (!end) break;
        text[-1] = *end = 0;
        answer a = run_line(line);
        CHECK_STATUS(a.status, 0);
        check_count++;
        if (!a.out || strcmp(a.out, text) != 0) CHECK_FAIL("'pinion %s' prints something else:\n%s", line, a.out);
        CHECK_HAS(a.err, "pinion equations: checked against the kernels at 100 random states");
        forget(&a);
        at = end + 1;
        blocks++;
    }
    CHECK(blocks >= 4);
    free(page);
}

/* The README has some lines of an answer. */
TEST(the_readme_quotes_what_is_printed)
{
    static const char begin[] = "```text\n$ pinion equations models/planar-2r.json\n";
    char *page = read_page("README.md");
    if (!page) SKIP("the README is not beside the models");
    answer a = run(NULL, "equations", bundled("planar-2r.json"), (const char *)NULL);
    char *line = strstr(page, begin), *end = line ? strstr(line + sizeof begin - 1, "```\n") : NULL;
    CHECK(end != NULL && a.out != NULL);
    if (end && a.out) {
        *end = 0;
        CHECK(lines_of(line) >= 3);
        for (line += sizeof begin - 1; *line;) {
            char *next = strchr(line, '\n') + 1, quoted[200];
            snprintf(quoted, sizeof quoted, "\n%.*s", (int)(next - line), line);
            CHECK_HAS(a.out, quoted);
            line = next;
        }
    }
    forget(&a);
    free(page);
}

TEST(latex)
{
    const char *arm = bundled("planar-2r.json");
    answer a = run(NULL, "equations", arm, "--format", "latex", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "M_{11} &= I_{1} + I_{2} + m_{1} r_{1}^{2} + "
                     "m_{2} (a_{1}^{2} + r_{2}^{2} + 2 a_{1} r_{2} c_{2}) \\\\\n");
    CHECK_HAS(a.out, "C_{12} &= -h_{1} (\\dot q_{1} + \\dot q_{2})");
    CHECK_HAS(a.out, "$c_{12} = \\cos(q_{1} + q_{2})$");
    CHECK(a.out && !strstr(a.out, "\\documentclass"));
    forget(&a);

    a = run(NULL, "equations", arm, "--format", "latex", "--document", "-o", place("arm.tex"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK(a.out && !*a.out);
    char *text = read_file(place("arm.tex"));
    CHECK_HAS(text, "\\documentclass{article}");
    CHECK_HAS(text, "\n\\end{document}\n");
    free(text);
    forget(&a);
}

TEST(json)
{
    answer a = run(NULL, "equations", bundled("planar-2r.json"), "--json", (const char *)NULL);
    json_t *j = parse_answer(&a, 0);
    CHECK(json_array_size(DIG(j, "mass_matrix")) == 3);
    CHECK(json_array_size(DIG(j, "coriolis")) == 4);
    CHECK(json_array_size(DIG(j, "gravity")) == 2);
    CHECK(json_integer_value(DIG(j, "mass_matrix", "1", "row")) == 0);
    CHECK(json_integer_value(DIG(j, "mass_matrix", "1", "column")) == 1);
    CHECK_HAS(json_string_value(DIG(j, "mass_matrix", "1", "text")), "I_2 + m_2 (r_2^2 + a_1 r_2 c_2)");
    CHECK_HAS(json_string_value(DIG(j, "shorthand", "0", "name")), "h_1");
    CHECK_HAS(json_string_value(DIG(j, "notation", "0", "text")), "cos(q_1)");
    CHECK(json_integer_value(DIG(j, "check", "states")) == 100);
    CHECK(json_number_value(DIG(j, "check", "difference")) < 1e-13);
    size_t i;
    json_t *s;
    int found = 0;
    json_array_foreach(DIG(j, "symbols"), i, s) {
        if (strcmp(json_string_value(DIG(s, "name")), "m_2") != 0) continue;
        found++;
        CHECK_NEAR(json_number_value(DIG(s, "value")), 1.5, 0);
        CHECK_HAS(json_string_value(DIG(s, "unit")), "kg");
        CHECK_HAS(json_string_value(DIG(s, "meaning")), "mass of lower");
    }
    CHECK(found == 1);
    json_decref(j);
    a = run(NULL, "equations", bundled("planar-2r.json"), "--json", "-o", place("arm.json"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK(a.out && !*a.out && a.err && !*a.err);
    forget(&a);
    char *text = read_file(place("arm.json"));
    CHECK_HAS(text, "\"mass_matrix\"");
    free(text);
}

TEST(parts_and_gravity)
{
    answer a = run(NULL, "equations", bundled("planar-2r.json"), "--what", "gravity", "--gravity", "0,0,-9.81",
                   (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "  g_1 = 0\n  g_2 = 0\n");
    CHECK(a.out && !strstr(a.out, "Mass") && !strstr(a.out, "Coriolis"));
    forget(&a);
    a = run(NULL, "equations", bundled("planar-2r.json"), "--what=mass_matrix,coriolis", "-o", place("arm.txt"),
            (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    char *text = read_file(place("arm.txt"));
    CHECK_HAS(text, "  C_21 = h_1 v_1\n");
    CHECK(text && !strstr(text, "Gravity"));
    free(text);
    forget(&a);
}

TEST(refused)
{
    const char *arm = bundled("planar-2r.json");
    REFUSED(2, "--what: expected mass_matrix, coriolis or gravity, separated by commas, got 'energy'", NULL,
            "equations", arm, "--what", "energy");
    REFUSED(2, "separated by commas, got ''", NULL, "equations", arm, "--what", "gravity,");
    REFUSED(2, "--format: expected text or latex", NULL, "equations", arm, "--format", "html");
    REFUSED(2, "--document is of --format latex", NULL, "equations", arm, "--document");
    REFUSED(2, "--document and --json", NULL, "equations", arm, "--document", "--format", "latex", "--json");
    REFUSED(2, "--max-terms: expected 1 to 100000", NULL, "equations", arm, "--max-terms", "0");
    REFUSED(2, "--output", NULL, "equations", arm, "-o", place("arm.pdf"));
    REFUSED(1, "arm.txt", NULL, "equations", arm, "-o", "no-such-folder/arm.txt");
    REFUSED(1, "planar-2r: the equations have more than 5 terms", NULL, "equations", arm, "--max-terms", "5");
    REFUSED(1, "closes a loop", NULL, "equations", bundled("four-bar.json"));
    REFUSED(1, "joint 'root' is free", NULL, "equations", arm, "--root", "free");
    REFUSED(1, "more than 600 terms", NULL, "equations", bundled("puma560-corke.json"));
    REFUSED(1, "no-such-model.json", NULL, "equations", "no-such-model.json");
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(the_document_shows_what_is_printed);
    RUN(the_readme_quotes_what_is_printed);
    RUN(latex);
    RUN(json);
    RUN(parts_and_gravity);
    RUN(refused);
    return command_end(files);
}
