/* Long calls of C, which Ctrl-C ends for the one who waits.
 *
 * The C library cannot be stopped in the middle of a computation. So a long one runs on a thread of its own, and the
 * one that called listens for signals. Where a signal handler raises, the job is left behind: its result is nobody's,
 * and all that it uses is its own or is kept for it until it has ended. */
#ifndef PN_PYTHON_JOB_H
#define PN_PYTHON_JOB_H

#include "binding.h"

enum { JOB_KEEPS = 16 };

typedef struct job {
    void (*work)(struct job *j);    /* on any thread, without the interpreter's lock */
    void (*release)(struct job *j); /* with it, once the work is over; not the struct itself. NULL: nothing to do */
    void (*leaving)(struct job *j); /* with it, when the job is left behind; NULL: nothing to do */
    PyObject *keep[JOB_KEEPS];      /* what must stay while it lasts */
    int keeps;
    int ended;
    atomic_int left; /* nonzero: nobody waits any more */
    struct job *next;
} job;

/* A job of `size` bytes, zero but for the job at its start; NULL with an exception. */
void *pn_py_job(size_t size, void (*work)(job *), void (*release)(job *));
/* Keeps an object for it; NULL is allowed. */
void pn_py_job_keep(job *j, PyObject *thing);
/* Does the work, once more if it was done before; on this thread where it is brief. 1: it is done, and the job goes on
 * to be the caller's. 0 with an exception: it is left behind, and no longer the caller's. */
int pn_py_job_run(job *j, int brief);
void pn_py_job_end(job *j);
/* Ends those that were left behind and are over; a new job does so, too. */
void pn_py_job_collect(void);

#endif
