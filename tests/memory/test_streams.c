/* Texts that the command writes into memory before they become files: the n-th allocation fails, for every n. What is
 * closed as whole is whole, to the last digit. */
#define _GNU_SOURCE
#include "check.h"

#include "allocator.h"
#include "cli/print/memory_stream.c"

enum { NUMBERS = 20000 };

static int write_numbers(cli_memory *m)
{
    pn_cli_memory_open(m);
    for (int i = 0; m->stream && i < NUMBERS; i++) fprintf(m->stream, "%.17g\n", 1e-8 / (i + 3));
    return pn_cli_memory_close(m);
}

TEST(every_allocation)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    cli_memory all, m;
    CHECK(write_numbers(&all) && all.bytes && strlen(all.bytes) == all.size);
    const long before = alloc_live;
    int refused = 0, whole = 0;
    for (long n = 0; n < 40 && !whole; n++) {
        alloc_failed = 0;
        alloc_until = n;
        const int fine = write_numbers(&m);
        alloc_until = -1;
        whole = !alloc_failed;
        if (fine) CHECK(m.size == all.size && strcmp(m.bytes, all.bytes) == 0);
        if (!fine) CHECK(!m.bytes && m.size == 0);
        refused += !fine;
        free(m.bytes);
    }
    CHECK(whole && refused > 3 && alloc_live == before);
    free(all.bytes);
}

/* Nothing is a text, too. */
TEST(nothing)
{
    cli_memory m;
    pn_cli_memory_open(&m);
    CHECK(pn_cli_memory_close(&m) && m.bytes && !*m.bytes && m.size == 0);
    free(m.bytes);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(every_allocation);
    RUN(nothing);
    return CHECK_END();
}
