#define _POSIX_C_SOURCE 200809L
#include "cli/print/progress.h"

#include "cli/print/print_text.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WIDTH 24      /* of the bar */
#define INTERVAL 0.1  /* s between two drawings */
#define PATIENCE 0.25 /* s before the first: what is done sooner needs no bar */

double pn_cli_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

cli_progress pn_cli_progress(FILE *stream, double from, double total)
{
    cli_progress p;
    memset(&p, 0, sizeof p);
    p.stream = stream && isatty(fileno(stream)) ? stream : NULL;
    p.total = total;
    p.from = from;
    p.began = pn_cli_clock();
    p.shown = p.began + PATIENCE - INTERVAL;
    p.utf8 = p.stream ? pn_cli_style(stream).utf8 : 0;
    return p;
}

const char *pn_cli_span_text(double seconds, char *text, size_t size)
{
    if (!(seconds < 1e8))
        snprintf(text, size, "long");
    else if (seconds >= 3600)
        snprintf(text, size, "%.0f h %02.0f min", floor(seconds / 3600), floor(fmod(seconds, 3600) / 60));
    else if (seconds >= 60)
        snprintf(text, size, "%.0f min %02.0f s", floor(seconds / 60), floor(fmod(seconds, 60)));
    else
        snprintf(text, size, seconds < 1 ? "%.2g s" : seconds < 10 ? "%.1f s" : "%.0f s", seconds);
    return text;
}

/* The bar itself: full and empty places. */
static void draw_bar(FILE *stream, double part, int utf8)
{
    const int full = (int)(part * WIDTH);
    for (int i = 0; i < WIDTH; i++)
        fputs(i < full ? (utf8 ? "\xe2\x94\x81" : "#") : (utf8 ? "\xe2\x94\x80" : "."), stream);
}

void pn_cli_progress_show(cli_progress *p, double now)
{
    if (!p->stream) return;
    const double clock = pn_cli_clock();
    if (clock - p->shown < INTERVAL) return;
    p->shown = clock;

    const double part = p->total > 0 ? fmin(fmax(now / p->total, 0), 1) : 1;
    const double rate = (now - p->from) / (clock - p->began);
    char remaining[40] = "";
    if (rate > 0) pn_cli_span_text((p->total - now) / rate, remaining, sizeof remaining);
    fputs("\r", p->stream);
    draw_bar(p->stream, part, p->utf8);
    fprintf(p->stream, " %3.0f %%  t = %.4g of %.4g s  %.3g s/s  %s%s%s%s\033[K", 100 * part, now, p->total,
            rate, remaining, *remaining ? " left" : "", p->note ? "  " : "", p->note ? p->note : "");
    fflush(p->stream);
    p->visible = 1;
}

void pn_cli_progress_clear(cli_progress *p)
{
    if (!p->stream || !p->visible) return;
    fputs("\r\033[K", p->stream);
    fflush(p->stream);
    p->visible = 0;
}
