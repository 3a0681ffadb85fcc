/* pinion bench: JSON and CSV. */
#include "cli/bench/bench.h"

#include "cli/print/json_out.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------ */
/* JSON */

static void put_machine(cli_json *j, const bench_machine *machine)
{
    pn_cli_json_key(j, "machine");
    pn_cli_json_open(j, '{', 0);
    pn_cli_put_string(j, "processor", machine->processor);
    pn_cli_put_integer(j, "processors", machine->processors);
    pn_cli_put_string(j, "compiler", machine->compiler);
    pn_cli_put_string(j, "flags", machine->flags);
    pn_cli_put_string(j, "version", pinion_version());
    pn_cli_put_string(j, "commit", machine->commit);
    pn_cli_json_close(j);
}

/* What an item is. */
static void put_item(cli_json *j, const bench_item *item)
{
    pn_cli_put_string(j, "kind", item->algorithm >= 0 ? "algorithm" : "call");
    pn_cli_put_string(j, "group", item->group);
    pn_cli_put_string(j, "name", item->name);
}

static void put_mode(cli_json *j, const bench_sheet *s, bench_mode mode)
{
    const bench_mode_def *d = &pn_cli_bench_modes[mode];
    pn_cli_put_string(j, "mode", d->mode);
    pn_cli_put_string(j, "scalar", d->scalar);
    pn_cli_put_integer(j, "threads", d->many ? s->threads : 1);
}

static void put_rows(cli_json *j, const bench_sheet *s)
{
    pn_cli_json_key(j, "rows");
    pn_cli_json_open(j, '[', 0);
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < MODE_COUNT; k++) {
            const bench_item *item = &s->item[i];
            const bench_time *t = &item->time[k];
            if (!t->timed) continue;
            pn_cli_json_open(j, '{', 1);
            put_item(j, item);
            put_mode(j, s, (bench_mode)k);
            pn_cli_put_integer(j, "threads_used", t->threads);
            pn_cli_put_integer(j, "states", (int)t->states);
            pn_cli_put_number(j, "ns", t->ns);
            pn_cli_put_number(j, "low", t->spread.low);
            pn_cli_put_number(j, "high", t->spread.high);
            pn_cli_put_integer(j, "samples", t->spread.samples);
            if (k == MODE_CALL_F64 && item->ratio > 0) pn_cli_put_number(j, "ratio", item->ratio);
            pn_cli_json_close(j);
        }
    pn_cli_json_close(j);
}

static void put_left_out(cli_json *j, const bench_sheet *s)
{
    pn_cli_json_key(j, "left_out");
    pn_cli_json_open(j, '[', 0);
    for (int i = 0; i < s->count; i++) {
        const bench_item *item = &s->item[i];
        if (item->why[0]) {
            pn_cli_json_open(j, '{', 1);
            put_item(j, item);
            pn_cli_put_string(j, "reason", item->why);
            pn_cli_json_close(j);
            continue;
        }
        for (int k = 0; k < MODE_COUNT; k++) {
            if (!item->time[k].why[0]) continue;
            pn_cli_json_open(j, '{', 1);
            put_item(j, item);
            put_mode(j, s, (bench_mode)k);
            pn_cli_put_string(j, "reason", item->time[k].why);
            pn_cli_json_close(j);
        }
    }
    pn_cli_json_close(j);
}

static void put_sheet(cli_json *j, const bench_sheet *s)
{
    pn_cli_json_open(j, '{', 0);
    pn_cli_put_string(j, "model", s->title);
    pn_cli_json_key(j, "file");
    if (s->file)
        pn_cli_json_string(j, s->file);
    else
        pn_cli_json_null(j);
    pn_cli_put_integer(j, "nq", s->nq);
    pn_cli_put_integer(j, "nv", s->nv);
    pn_cli_put_integer(j, "bodies", s->bodies - 1);
    pn_cli_put_integer(j, "frames", s->frames);
    pn_cli_put_integer(j, "loops", s->loops);
    pn_cli_put_string(j, "frame", s->frame);
    pn_cli_put_integer(j, "distinct_states", (int)s->distinct);
    pn_cli_put_string(j, "isa", s->isa);
    pn_cli_put_integer(j, "lanes_f64", s->lanes);
    pn_cli_put_integer(j, "lanes_f32", s->lanes_f32);
    pn_cli_put_number(j, "seconds", s->took);
    if (s->compiling > 0) pn_cli_put_number(j, "generated_in", s->compiling);
    pn_cli_put_integer(j, "rounds", s->rounds);
    put_rows(j, s);
    put_left_out(j, s);
    pn_cli_json_close(j);
}

void pn_cli_bench_json(const bench_machine *machine, const bench_choice *choice, const bench_sheet *s,
                       int count)
{
    cli_json json = pn_cli_json(stdout), *j = &json;
    pn_cli_json_open(j, '{', 0);
    pn_cli_put_string(j, "what",
                      choice->algorithms && choice->calls ? "all"
                      : choice->calls                     ? "calls"
                                                          : "algorithms");
    put_machine(j, machine);
    pn_cli_put_integer(j, "states", (int)choice->states);
    pn_cli_put_integer(j, "threads", choice->threads);
    pn_cli_put_integer(j, "rounds_max", TIMED_ROUNDS);
    pn_cli_json_key(j, "models");
    pn_cli_json_open(j, '[', 0);
    for (int i = 0; i < count; i++) put_sheet(j, &s[i]);
    pn_cli_json_close(j);
    pn_cli_json_key(j, "does_not_show");
    pn_cli_json_open(j, '[', 0);
    for (const char *const *text = pn_cli_bench_limits; *text; text++) pn_cli_json_string(j, *text);
    pn_cli_json_end(j);
}

/* ------------------------------------------------------------------------------------------------ */
/* CSV: a row for every time, each with the machine it was taken on */

/* A field of text, quoted. */
static void put_field(const char *text)
{
    fputs("\"", stdout);
    for (; *text; text++) {
        if (*text == '"') fputc('"', stdout);
        fputc((unsigned char)*text < ' ' ? ' ' : *text, stdout);
    }
    fputs("\",", stdout);
}

static void put_csv_item(const bench_sheet *s, const bench_item *item)
{
    put_field(s->title);
    put_field(s->file ? s->file : "");
    put_field(s->frame ? s->frame : "");
    printf("%d,%d,%s,", s->nq, s->nv, item->algorithm >= 0 ? "algorithm" : "call");
    put_field(item->group);
    printf("%s,", item->name);
}

static void put_csv_end(const bench_machine *machine, const bench_sheet *s, const char *reason)
{
    put_field(reason);
    put_field(machine->processor);
    printf("%d,", machine->processors);
    put_field(machine->compiler);
    put_field(machine->flags);
    printf("%s,%s,%s,%d,%d\n", pinion_version(), machine->commit, s->isa, s->lanes, s->lanes_f32);
}

void pn_cli_bench_csv(const bench_machine *machine, const bench_sheet *s, int count)
{
    puts("model,file,frame,nq,nv,kind,group,name,mode,scalar,threads,threads_used,states,ns,low,high,samples,"
         "ratio,"
         "not_timed,processor,processors,compiler,flags,version,commit,isa,lanes_f64,lanes_f32");
    for (int m = 0; m < count; m++)
        for (int i = 0; i < s[m].count; i++) {
            const bench_item *item = &s[m].item[i];
            if (item->why[0]) {
                put_csv_item(&s[m], item);
                fputs(",,,,,,,,,,", stdout);
                put_csv_end(machine, &s[m], item->why);
            }
            for (int k = 0; k < MODE_COUNT && !item->why[0]; k++) {
                const bench_mode_def *d = &pn_cli_bench_modes[k];
                const bench_time *t = &item->time[k];
                if (!t->timed && !t->why[0]) continue;
                put_csv_item(&s[m], item);
                printf("%s,%s,%d,", d->mode, d->scalar, d->many ? s[m].threads : 1);
                if (t->timed) printf("%d", t->threads);
                printf(",%zu,", t->states);
                if (t->timed)
                    printf("%.2f,%.2f,%.2f,%d,", t->ns, t->spread.low, t->spread.high, t->spread.samples);
                else
                    fputs(",,,,", stdout);
                if (k == MODE_CALL_F64 && item->ratio > 0) printf("%.4f", item->ratio);
                fputc(',', stdout);
                put_csv_end(machine, &s[m], t->why);
            }
        }
}
