/* Runs something again and again, each time with another allocation refused, until none is. */
#ifndef PN_EXHAUST_H
#define PN_EXHAUST_H

#include "check.h"
#include "allocator.h"
#include "pinion/base.h"

/* Does something with memory running out, from alloc_fail() on, and calls alloc_work() before it looks at the
 * result, frees it and answers whether it succeeded. */
typedef int (*attempt)(void *context, pinion_error *err);

/* What else than PINION_ERR_MEMORY a failure may be called: the XML and JSON libraries do not always tell
 * that it was memory that a file failed for. */
enum { ONLY_MEMORY = 0, OR_PARSE = 1 };

/* Every attempt either succeeds or fails with a status and a message, and leaves no memory behind. First with
 * one request refused and the others granted, then with that one and all after it. */
static inline void exhaust(attempt try, void *context, int statuses)
{
    for (int all_after = 0; all_after < 2; all_after++) {
        long failures = 0, survived = 0, renamed = 0, n;
        for (n = 0; n < 200000; n++) {
            pinion_error err = {PINION_OK, 0, 0, ""};
            const long live = alloc_live;
            const int failed_before = check_failed;
            alloc_fail(n, all_after);
            const int done = try(context, &err);
            alloc_work();
            const int refused = alloc_failed > 0;
            check_count++;
            if (alloc_live != live)
                CHECK_FAIL("with request %ld refused %ld pieces of memory are left behind", n,
                           alloc_live - live);
            if (!refused) {
                if (!done) CHECK_FAIL("fails with all the memory it asks for: %s", err.message);
                break;
            }
            if (done) {
                survived++;
                continue;
            }
            failures++;
            renamed += err.status != PINION_ERR_MEMORY;
            if (err.status != PINION_ERR_MEMORY && !(statuses == OR_PARSE && err.status == PINION_ERR_PARSE))
                CHECK_FAIL("with request %ld refused the status is %d: %s", n, (int)err.status, err.message);
            if (!err.message[0] || !memchr(err.message, 0, sizeof err.message))
                CHECK_FAIL("with request %ld refused there is no message", n);
            if (check_failed - failed_before > 5) break;
        }
        printf("    %s: %ld requests, %ld failures (%ld not called memory), %ld survived\n", check_name, n,
               failures, renamed, survived);
        CHECK(n < 200000);
    }
}

/* for functions that answer NULL and fill no error */
static inline void no_error(pinion_error *err)
{
    err->status = PINION_ERR_MEMORY;
    snprintf(err->message, sizeof err->message, "out of memory");
}

#endif
