/* pinion completion: scripts for shells, written from the tables that --help comes from. */
#include "cli/args/load_option.h"
#include "cli/args/near.h"
#include "cli/print/print_text.h"

#include <string.h>

#define SHELLS "bash|zsh|fish"

/* The options of a command with their dashes: "--root --mimic -o ..." */
static void put_options(const cli_command *command)
{
    for (const cli_option *const *o = command->options; *o; o++) {
        printf("%s--%s", o == command->options ? "" : " ", (*o)->name);
        if ((*o)->letter) printf(" -%c", (*o)->letter);
    }
}

static void put_commands(void)
{
    const char *separator = "";
    for (const cli_command *const *c = pn_cli_commands; *c; c++) {
        printf("%s%s", separator, (*c)->name);
        separator = " ";
    }
}

/* What the value of an option can be, words with spaces between them; nothing for those of other kinds. */
static void put_values(const cli_option *o, const char *colon)
{
    if (o->kind == VALUE_CHOICE)
        pn_cli_put_list(o->value);
    else if (o->words)
        o->words(colon);
}

static int has_values(const cli_option *o)
{
    return o->kind == VALUE_CHOICE || o->kind == VALUE_WORD;
}

static int has_list(const cli_option *o)
{
    return o->kind == VALUE_LIST;
}

/* The words that a command takes besides options. Returns 0, with nothing printed, for files. */
static int put_words(const cli_command *c, const char *before, const char *after)
{
    if (c->takes == TAKES_MODEL || c->takes == TAKES_OPTIONAL_MODEL || c->takes == TAKES_MODELS ||
        c->takes == TAKES_FILE || c->takes == TAKES_FILES)
        return 0;
    fputs(before, stdout);
    if (c->takes == TAKES_WORD) pn_cli_put_list(c->words);
    if (c->takes == TAKES_OPTIONAL_COMMAND) put_commands();
    fputs(after, stdout);
    return 1;
}

/* Text within single quotes of a shell; `escaped` are characters that get a backslash besides. */
static void put_quoted(const char *text, const char *escaped)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (strchr(escaped, *text))
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

/* ------------------------------------------------------------------------------------------------ */
/* bash */

static int has_option(const cli_command *command, const cli_option *wanted)
{
    const cli_option *const *o = command->options;
    while (*o && *o != wanted) o++;
    return *o != NULL;
}

/* Whether a command takes an option that none before it takes. */
static int takes_first(const cli_command *const *command, const cli_option *o)
{
    for (const cli_command *const *c = pn_cli_commands; c < command; c++)
        if (has_option(*c, o)) return 0;
    return 1;
}

/* "eval --output"|"eval -o"|"convert --output"...): an option of the commands that have it, for the same name
 * may have another meaning elsewhere. */
static void put_bash_pattern(const cli_option *o)
{
    const char *separator = "    ";
    for (const cli_command *const *c = pn_cli_commands; *c; c++) {
        if (!has_option(*c, o)) continue;
        printf("%s\"%s --%s\"", separator, (*c)->name, o->name);
        if (o->letter) printf("|\"%s -%c\"", (*c)->name, o->letter);
        separator = "|";
    }
    fputs(") ", stdout);
}

static void print_bash_value(const cli_option *o)
{
    put_bash_pattern(o);
    if (has_values(o) || has_list(o)) {
        fputs(has_list(o) ? "_pinion_list \"" : "_pinion_words \"", stdout);
        put_values(o, ":");
        fputs("\"; return ;;\n", stdout);
    } else if (o->kind == VALUE_FILE) {
        fputs("_pinion_files; return ;;\n", stdout);
    } else {
        fputs("return ;;\n", stdout);
    }
}

static void print_bash_values(void)
{
    fputs("    # the value of an option\n"
          "    case \"${COMP_WORDS[1]} $option\" in\n",
          stdout);
    for (const cli_command *const *c = pn_cli_commands; *c; c++)
        for (const cli_option *const *o = (*c)->options; *o; o++)
            if ((*o)->kind != VALUE_NONE && takes_first(c, *o)) print_bash_value(*o);
    fputs("    esac\n", stdout);
}

static void print_bash_commands(void)
{
    fputs("    # the options of a command, then what else it takes\n"
          "    case ${COMP_WORDS[1]} in\n",
          stdout);
    for (const cli_command *const *at = pn_cli_commands; *at; at++) {
        const cli_command *c = *at;
        printf("    %s)\n        if [[ $cur == -?* ]]; then _pinion_words \"", c->name);
        put_options(c);
        fputs("\"\n        else ", stdout);
        if (!put_words(c, "_pinion_words \"", "\"")) fputs("_pinion_files", stdout);
        fputs("; fi ;;\n", stdout);
    }
    fputs("    esac\n", stdout);
}

static void print_bash(void)
{
    fputs("# bash completion for pinion. To use it: source <(pinion completion bash)\n"
          "\n"
          "_pinion_words() {\n"
          "    COMPREPLY=($(compgen -W \"$1\" -- \"$cur\"))\n"
          "}\n"
          "\n"
          "_pinion_files() {\n"
          "    local IFS=$'\\n'\n"
          "    compopt -o filenames 2>/dev/null\n"
          "    COMPREPLY=($(compgen -f -- \"$cur\"))\n"
          "}\n"
          "\n"
          "# the last entry of a list with commas; the entries before it stay\n"
          "_pinion_list() {\n"
          "    local before=\"\" last=$cur\n"
          "    if [[ $cur == *,* ]]; then before=${cur%,*},; last=${cur##*,}; fi\n"
          "    compopt -o nospace 2>/dev/null\n"
          "    COMPREPLY=($(compgen -P \"$before\" -W \"$1\" -- \"$last\"))\n"
          "}\n"
          "\n"
          "_pinion() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    COMPREPLY=()\n"
          "\n"
          "    # bash takes --name=value apart at the =\n"
          "    if [[ $cur == \"=\" ]]; then cur=\"\"\n"
          "    elif [[ $option == \"=\" && COMP_CWORD -ge 2 ]]; then option=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
          "\n"
          "    if [[ COMP_CWORD -eq 1 ]]; then\n"
          "        _pinion_words \"",
          stdout);
    put_commands();
    fputs(" --help --version\"\n"
          "        return\n"
          "    fi\n"
          "\n",
          stdout);
    print_bash_values();
    fputc('\n', stdout);
    print_bash_commands();
    fputs("}\n"
          "\n"
          "complete -F _pinion pinion\n",
          stdout);
}

/* ------------------------------------------------------------------------------------------------ */
/* zsh */

/* One option as _arguments wants it: '(-o --output)'{-o,--output=}'[help]:FILE:_files' */
static void print_zsh_option(const cli_option *o)
{
    const char *equals = o->kind == VALUE_NONE ? "" : "=";
    if (o->letter)
        printf("            '(-%c --%s)'{-%c%s,--%s%s}'[", o->letter, o->name, o->letter,
               o->kind == VALUE_NONE ? "" : "+", o->name, equals);
    else
        printf("            '--%s%s[", o->name, equals);
    put_quoted(o->help, "[]:");
    putchar(']');
    if (has_values(o)) {
        printf(":%s:(", o->name);
        put_values(o, "");
        putchar(')');
    } else if (o->kind == VALUE_FILE) {
        printf(":%s:_files", o->value);
    } else if (has_list(o)) {
        fputs(":list:_values -s , entry ", stdout);
        put_values(o, "");
    } else if (o->kind != VALUE_NONE) {
        printf(":%s:", o->value);
    }
    fputs("' \\\n", stdout);
}

static void print_zsh_command(const cli_command *c)
{
    printf("        %s)\n            _arguments \\\n", c->name);
    for (const cli_option *const *o = c->options; *o; o++) print_zsh_option(*o);
    if (c->takes == TAKES_NOTHING)
        fputs("            && return", stdout);
    else if (!put_words(c, "            '1:argument:(", ")'"))
        printf("            '%c:file:_files'", c->takes == TAKES_MODELS || c->takes == TAKES_FILES ? '*' : '1');
    fputs(" ;;\n", stdout);
}

static void print_zsh(void)
{
    fputs("#compdef pinion\n"
          "# zsh completion for pinion. To use it: source <(pinion completion zsh)\n"
          "\n"
          "_pinion() {\n"
          "    local curcontext=$curcontext state line\n"
          "    typeset -A opt_args\n"
          "    _arguments -C \\\n"
          "        '(- *)'{-h,--help}'[print help]' \\\n"
          "        '(- *)'{-V,--version}'[print the version]' \\\n"
          "        '1:command:->command' \\\n"
          "        '*::argument:->argument'\n"
          "\n"
          "    case $state in\n"
          "    command)\n"
          "        local -a commands\n"
          "        commands=(\n",
          stdout);
    for (const cli_command *const *c = pn_cli_commands; *c; c++) {
        printf("            '%s:", (*c)->name);
        put_quoted((*c)->summary, ":");
        fputs("'\n", stdout);
    }
    fputs("        )\n"
          "        _describe -t commands command commands ;;\n"
          "    argument)\n"
          "        case $words[1] in\n",
          stdout);
    for (const cli_command *const *c = pn_cli_commands; *c; c++) print_zsh_command(*c);
    fputs("        esac ;;\n"
          "    esac\n"
          "}\n"
          "\n"
          "# as an autoloaded file it is called at once; sourced, it registers itself\n"
          "if [[ $funcstack[1] == _pinion ]]; then _pinion \"$@\"; else compdef _pinion pinion; fi\n",
          stdout);
}

/* ------------------------------------------------------------------------------------------------ */
/* fish */

static void print_fish_option(const cli_command *c, const cli_option *o)
{
    printf("complete -c pinion -n '__fish_seen_subcommand_from %s' -l %s", c->name, o->name);
    if (o->letter) printf(" -s %c", o->letter);
    if (o->kind == VALUE_FILE) {
        fputs(" -r -F", stdout);
    } else if (has_values(o)) {
        fputs(" -x -a '", stdout);
        put_values(o, "");
        fputs("'", stdout);
    } else if (has_list(o)) {
        fputs(" -x -a '(__fish_append , ", stdout);
        put_values(o, ":");
        fputs(")'", stdout);
    } else if (o->kind != VALUE_NONE) {
        fputs(" -x", stdout);
    }
    fputs(" -d '", stdout);
    put_quoted(o->help, "");
    fputs("'\n", stdout);
}

static void print_fish_command(const cli_command *c)
{
    printf("\ncomplete -c pinion -n __fish_use_subcommand -a %s -d '", c->name);
    put_quoted(c->summary, "");
    fputs("'\n", stdout);
    for (const cli_option *const *o = c->options; *o; o++) print_fish_option(c, *o);

    if (c->takes == TAKES_NOTHING) return;
    printf("complete -c pinion -n '__fish_seen_subcommand_from %s' ", c->name);
    if (!put_words(c, "-a '", "'\n")) fputs("-F\n", stdout);
}

static void print_fish(void)
{
    fputs("# fish completion for pinion. To use it: pinion completion fish | source\n"
          "\n"
          "complete -c pinion -f\n"
          "complete -c pinion -n __fish_use_subcommand -s h -l help -d 'print help'\n"
          "complete -c pinion -n __fish_use_subcommand -s V -l version -d 'print the version'\n",
          stdout);
    for (const cli_command *const *c = pn_cli_commands; *c; c++) print_fish_command(*c);
}

/* ------------------------------------------------------------------------------------------------ */

static int run_command(const cli_args *args)
{
    const char *shell = args->positional;
    if (strcmp(shell, "bash") == 0) {
        print_bash();
    } else if (strcmp(shell, "zsh") == 0) {
        print_zsh();
    } else if (strcmp(shell, "fish") == 0) {
        print_fish();
    } else {
        char list[100], store[100], near[400];
        cli_near found = pn_cli_near(shell);
        pn_cli_near_offer_list(&found, SHELLS, store, sizeof store);
        pn_cli_report(args->command->name, "expected %s, got '%s'%s",
                      pn_cli_list_text(SHELLS, list, sizeof list), shell,
                      pn_cli_near_text(&found, near, sizeof near));
        return CLI_USAGE;
    }
    return pn_cli_finish(args->command->name, CLI_DONE);
}

/* ------------------------------------------------------------------------------------------------ */

static const cli_option *const options[] = {SHARED(HELP), NULL};

const cli_command pn_cli_command_completion = {
    .name = "completion",
    .summary = "completions for a shell",
    .run = run_command,
    .takes = TAKES_WORD,
    .words = SHELLS,
    .words_are = "a shell",
    .usage = SHELLS,
    .about = "Prints a script that teaches a shell to complete this command. To have it in every shell,\n"
             "put the line for yours into its start-up file:\n"
             "  bash   source <(pinion completion bash)\n"
             "  zsh    source <(pinion completion zsh)\n"
             "  fish   pinion completion fish | source\n",
    .example = "source <(pinion completion bash)",
    .options = options,
};
