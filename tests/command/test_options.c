/* The command line itself: help, version, options and their errors, completions, and the manual page. */
#define _DEFAULT_SOURCE
#include "command.h"
#include "fixtures.h"

static const char *const files[] = {"pendulum.urdf", "-strange.urdf", "completion", "script", NULL};
static const char *const commands[] = {"info",    "eval",      "convert",    "demo",       "sim",
                                       "id",      "report",    "paper",      "algorithms", "ops",
                                       "bench",   "generate",  "operators",  "codegen",    "equations",
                                       "completion", "help",   NULL};

static const char *pendulum(void)
{
    return write_file("pendulum.urdf", PENDULUM);
}

/* The words of --help that start with "--", one after the other: where the next starts, and its length. */
static const char *next_option(const char *text, size_t *length)
{
    while ((text = strstr(text, "--")) != NULL) {
        *length = 2 + strspn(text + 2, "abcdefghijklmnopqrstuvwxyz-");
        if (*length > 2 && (text[-1] == ' ' || text[-1] == '\n')) return text;
        text += 2;
    }
    return NULL;
}

/* Whether the word stands in the text with nothing of a longer word around it. */
static int has_word(const char *text, const char *word, size_t length)
{
    for (const char *at = text; at && (at = strstr(at, word)) != NULL; at++) {
        char after = at[length];
        if (!(after >= 'a' && after <= 'z') && after != '-' && after != '_') return 1;
    }
    return 0;
}

TEST(help_of_everything)
{
    static const char *const ask[] = {"--help", "-h", "help"};
    for (int i = 0; i < 3; i++) {
        answer a = run(NULL, ask[i], (const char *)NULL);
        CHECK_STATUS(a.status, 0);
        CHECK(a.err && !*a.err);
        for (int c = 0; commands[c]; c++) CHECK_HAS(a.out, commands[c]);
        forget(&a);
    }
    for (int c = 0; commands[c]; c++) {
        answer a = run(NULL, commands[c], "--help", (const char *)NULL);
        answer b = run(NULL, "help", commands[c], (const char *)NULL);
        answer d = run(NULL, commands[c], "--no-such-option", "-h", (const char *)NULL);
        char usage[60];
        snprintf(usage, sizeof usage, "usage: pinion %s ", commands[c]);
        CHECK_STATUS(a.status, 0);
        CHECK(a.err && !*a.err);
        CHECK_HAS(a.out, usage);
        CHECK_HAS(a.out, "Example:\n  ");
        CHECK(b.out && a.out && strcmp(a.out, b.out) == 0);
        CHECK(d.out && a.out && strcmp(a.out, d.out) == 0);
        forget(&a);
        forget(&b);
        forget(&d);
    }
}

TEST(version)
{
    answer a = run(NULL, "--version", (const char *)NULL), b = run(NULL, "-V", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK(a.out && strncmp(a.out, "pinion ", 7) == 0 && lines_of(a.out) == 1);
    CHECK(a.out && b.out && strcmp(a.out, b.out) == 0);
    forget(&a);
    forget(&b);
}

TEST(unknown_commands)
{
    REFUSED(2, "unknown command 'inof' (did you mean 'info'?)", NULL, "inof");
    REFUSED(2, "unknown command 'frobnicate'", NULL, "frobnicate");
    REFUSED(2, "unknown command ''", NULL, "");
    REFUSED(2, "unknown option '--json' (options come after a command", NULL, "--json", "info");
    REFUSED(2, "unknown command 'evil'", NULL, "help", "evil");
    answer a = run(NULL, (const char *)NULL);
    CHECK_STATUS(a.status, 2);
    CHECK_HAS(a.err, "usage: pinion COMMAND");
    CHECK(a.out && !*a.out);
    forget(&a);
}

TEST(unknown_options)
{
    REFUSED(2, "unknown option '--rot' (did you mean --root?)", NULL, "info", pendulum(), "--rot", "free");
    REFUSED(2, "unknown option '--gravty=0,0,0' (did you mean --gravity?)", NULL, "info", pendulum(),
            "--gravty=0,0,0");
    REFUSED(2, "unknown option '--wobble' (see 'pinion info --help')", NULL, "info", pendulum(), "--wobble");
    REFUSED(2, "unknown option '-x'", NULL, "eval", pendulum(), "-x");
    REFUSED(2, "unknown option '--states'", NULL, "info", pendulum(), "--states", "x");
    REFUSED(2, "unknown option '--\\x1b[0m'", NULL, "info", "--\033[0m");
}

/* All options of a command at once, with values as --help writes them, and then one that there is not: no option is
 * taken for another, and all are read before the last is refused. */
TEST(options_are_distinct)
{
    for (int c = 0; commands[c]; c++) {
        char word[ARGUMENTS][130];
        const char *list[ARGUMENTS] = {commands[c]};
        int count = 1;
        answer help = run(NULL, commands[c], "--help", (const char *)NULL);
        for (const char *line = help.out; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
            char name[40], space, value[80] = "";
            const char *text = strncmp(line, "  -", 3) == 0 ? strstr(line, "--") : NULL;
            if (!text || sscanf(text, "--%39[a-z0-9-]%c%79[^ \n]", name, &space, value) < 2) continue;
            if (strcmp(name, "help") == 0 || count == ARGUMENTS - 1) continue;
            char *bar = strchr(value, '|'), *given = strcmp(value, "X,Y,Z") == 0 ? "0,0,1" : "1";
            if (bar) *bar = '\0', given = value; /* one of several: the first */
            snprintf(word[count], sizeof word[0], "--%s%s%s", name, *value ? "=" : "", *value ? given : "");
            list[count] = word[count];
            count++;
        }
        list[count++] = "--no-such-option";
        answer a = run_list(NULL, list, count);
        CHECK_STATUS(a.status, 2);
        CHECK_HAS(a.err, "unknown option '--no-such-option'");
        forget(&help);
        forget(&a);
    }
}

/* Every option that takes a value, with a bad one, with none, and twice. */
TEST(bad_values)
{
    static const char *const model_commands[] = {"info", "eval", "convert", "demo", "ops", NULL};
    for (int c = 0; model_commands[c]; c++) {
        const char *command = model_commands[c];
        REFUSED(2, "--root: expected fixed or free, got 'fre' (did you mean 'free'?)", NULL, command, "m",
                "--root", "fre");
        REFUSED(2, "--root: expected fixed or free, got ''", NULL, command, "m", "--root=");
        REFUSED(2, "--mimic: expected follow or independent, got 'none'", NULL, command, "m", "--mimic=none");
        REFUSED(2, "--root needs a value: --root fixed|free", NULL, command, "m", "--root");
        REFUSED(2, "--root needs a value", NULL, command, "m", "--root", "--json");
        REFUSED(2, "--root is given twice", NULL, command, "m", "--root", "free", "--root=free");
        REFUSED(2, "--json takes no value, got 'yes'", NULL, command, "m", "--json=yes");
        REFUSED(2, "--gravity needs a value", NULL, command, "m", "--gravity");
        static const char *const vector[] = {"1,2",       "1,2,3,4", "a,b,c",  "nan,0,0", "inf,0,0",
                                             "1e999,0,0", "0x1,0,0", " 1,2,3", "1,,3",    "1 2 3"};
        for (int i = 0; i < 10; i++)
            REFUSED(2, "--gravity: expected three numbers like 0,0,-9.81, got '", NULL, command, "m",
                    "--gravity", vector[i]);
    }
    REFUSED(2, "--passive: expected on or off, got 'yes'", NULL, "eval", "m", "--passive", "yes");
    REFUSED(2, "--states needs a value: --states FILE", NULL, "eval", "m", "--states");
    REFUSED(2, "--states: the value is empty", NULL, "eval", "m", "--states=");
    REFUSED(2, "--what needs a value: --what LIST", NULL, "eval", "m", "--what", "--states", "-");
    REFUSED(2, "--what: the value is empty", NULL, "eval", "m", "--what", "");
    REFUSED(2, "--what is given twice", NULL, "eval", "m", "--what", "gravity", "--what", "bias");
    REFUSED(2, "--to: expected json, urdf, mjcf or sdf, got 'xml'", NULL, "convert", "m", "--to", "xml");
    REFUSED(2, "--output needs a value", NULL, "convert", "m", "-o");
    REFUSED(2, "a MODEL file is missing", NULL, "info");
    REFUSED(2, "a MODEL file is missing", NULL, "convert", "-o", "x.json");
    REFUSED(2, "unexpected argument 'n' after 'm'", NULL, "info", "m", "n");
    REFUSED(2, "a shell (bash|zsh|fish) is missing", NULL, "completion");
    REFUSED(2, "expected bash, zsh or fish, got 'fishy' (did you mean 'fish'?)", NULL, "completion", "fishy");
}

/* "--" ends the options, so that a file may have any name. */
TEST(end_of_options)
{
    write_file("-strange.urdf", PENDULUM);
    run_folder = folder;
    answer a = run(NULL, "info", "--root", "free", "--", "-strange.urdf", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "pendulum");
    CHECK_HAS(a.out, "free");
    forget(&a);
    REFUSED(2, "unknown option '-strange.urdf'", NULL, "info", "-strange.urdf");
    REFUSED(1, "--help", NULL, "info", "--", "--help");
    run_folder = NULL;
}

/* Every command and option of the help is in each completion. */
TEST(completions_know_what_help_knows)
{
    static const char *const shells[] = {"bash", "zsh", "fish"};
    for (int s = 0; s < 3; s++) {
        answer a = run(NULL, "completion", shells[s], (const char *)NULL);
        CHECK_STATUS(a.status, 0);
        for (int c = 0; commands[c]; c++) {
            CHECK(has_word(a.out, commands[c], strlen(commands[c])));
            answer help = run(NULL, commands[c], "--help", (const char *)NULL);
            const char *options = strstr(help.out, "\nOptions:");
            size_t length = 0;
            for (const char *o = options; o && (o = next_option(o, &length)) != NULL; o += length) {
                char word[40];
                snprintf(word, sizeof word, shells[s][0] == 'f' ? "-l %.*s" : "--%.*s", (int)length - 2,
                         o + 2);
                check_count++;
                if (!has_word(a.out, word, strlen(word)))
                    CHECK_FAIL("the completion for %s has no %s of %s", shells[s], word, commands[c]);
            }
            forget(&help);
        }
        CHECK_HAS(a.out, "mass_matrix");
        CHECK_HAS(a.out, "rnea");
        CHECK(!strstr(a.out, "d2_inverse_dynamics"));
        forget(&a);
    }
}

/* The script at work, in a real bash: what it offers after these words. */
static void check_bash(const char *words, int word, const char *expected)
{
    char script[2000];
    snprintf(
        script, sizeof script,
        "source %s || exit 9\nCOMP_WORDS=(%s)\nCOMP_CWORD=%d\n_pinion pinion\necho \"${COMPREPLY[*]}\"\n",
        place("completion"), words, word);
    char command[700];
    snprintf(command, sizeof command, "bash %s 2>&1", write_file("script", script));
    FILE *pipe = popen(command, "r");
    char text[2000] = "";
    size_t length = pipe ? fread(text, 1, sizeof text - 1, pipe) : 0;
    text[length] = '\0';
    if (pipe) CHECK(pclose(pipe) == 0);
    check_count++;
    if (strncmp(text, expected, strlen(expected)) != 0 || text[strlen(expected)] != '\n')
        CHECK_FAIL("after \"%s\" bash offers \"%s\", expected \"%s\"", words, text, expected);
}

TEST(bash_completion_works)
{
    if (system("command -v bash >/dev/null 2>&1") != 0) SKIP("there is no bash");
    answer a = run(NULL, "completion", "bash", (const char *)NULL);
    write_file("completion", a.out);
    forget(&a);
    check_bash("pinion in", 1, "info");
    check_bash("pinion ''", 1,
               "info eval convert demo sim sweep merge id linearize report paper algorithms ops bench generate "
               "operators codegen equations completion help --help --version");
    check_bash("pinion eval x.urdf --ro", 3, "--root");
    check_bash("pinion eval x.urdf --root ''", 4, "fixed free");
    check_bash("pinion eval x.urdf --root = f", 5, "fixed free");
    check_bash("pinion eval x.urdf --root =", 4, "fixed free");
    check_bash("pinion eval x.urdf --passive o", 4, "on off");
    check_bash("pinion eval x.urdf --what gravity,forw", 4, "gravity,forward_dynamics");
    check_bash("pinion ops --what mass_matrix,grav", 3, "");
    check_bash("pinion ops --what mass_matrix,forw", 3, "mass_matrix,forward_dynamics");
    check_bash("pinion algorithms --what inv", 3, "inverse_dynamics");
    check_bash("pinion ops --chain ''", 3, "");
    check_bash("pinion generate ''", 2, "chain tree n-four-bar");
    check_bash("pinion algorithms ''", 2, "");
    check_bash("pinion eval x.urdf --what ac", 4, "acceleration:");
    check_bash("pinion info --sta", 2, "");
    check_bash("pinion completion ''", 2, "bash zsh fish");
    check_bash("pinion help c", 2, "convert codegen completion");
    check_bash("pinion codegen x.urdf --scalar f", 4, "f64 f32");
    check_bash("pinion equations x.urdf --what ''", 4, "mass_matrix coriolis gravity");
    check_bash("pinion equations x.urdf --what gravity,m", 4, "gravity,mass_matrix");
    char words[400];
    snprintf(words, sizeof words, "pinion info %s/compl", folder);
    check_bash(words, 2, place("completion"));
}

/* The manual page tells of every command, option and quantity. */
TEST(manual_page_is_complete)
{
    char path[700];
    snprintf(path, sizeof path, "%s/../docs/pinion.1",
             getenv("PINION_MODELS") ? getenv("PINION_MODELS") : "models");
    char *page = read_file(path);
    if (!page) SKIP("the manual page is not beside the models");
    for (int c = 0; commands[c]; c++) {
        char entry[60];
        snprintf(entry, sizeof entry, "\n.SS pinion %s", commands[c]);
        CHECK_HAS(page, entry);
        answer help = run(NULL, commands[c], "--help", (const char *)NULL);
        size_t length = 0;
        for (const char *o = help.out; (o = next_option(o, &length)) != NULL; o += length) {
            /* in roff a dash is written \- */
            char word[100] = "", *to = word;
            for (size_t i = 0; i < length && i < 40; i++) {
                if (o[i] == '-') *to++ = '\\';
                *to++ = o[i];
            }
            check_count++;
            if (!has_word(page, word, strlen(word)))
                CHECK_FAIL("the manual page has no %s of %s", word, commands[c]);
        }
        const char *quantities = strstr(help.out, "\nQuantities for --what:\n");
        for (const char *line = quantities ? strchr(quantities + 1, '\n') : NULL; line && line[1] == ' ';
             line = strchr(line + 1, '\n')) {
            char word[60];
            snprintf(word, sizeof word, "%.*s", (int)strspn(line + 3, "abcdefghijklmnopqrstuvwxyz_"),
                     line + 3);
            CHECK_HAS(page, word);
        }
        forget(&help);
    }
    free(page);
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(help_of_everything);
    RUN(version);
    RUN(unknown_commands);
    RUN(unknown_options);
    RUN(options_are_distinct);
    RUN(bad_values);
    RUN(end_of_options);
    RUN(completions_know_what_help_knows);
    RUN(bash_completion_works);
    RUN(manual_page_is_complete);
    return command_end(files);
}
