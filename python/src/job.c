#include "job.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

/* of all jobs: one that ends must not touch what is its own any more */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t some_ended = PTHREAD_COND_INITIALIZER;
static job *left_behind;

static void end(job *j)
{
    if (j->release) j->release(j);
    for (int i = 0; i < j->keeps; i++) Py_DECREF(j->keep[i]);
    free(j);
}

void pn_py_job_collect(void)
{
    job *ended = NULL;
    pthread_mutex_lock(&lock);
    for (job **at = &left_behind; *at;) {
        job *j = *at;
        if (!j->ended) {
            at = &j->next;
            continue;
        }
        *at = j->next;
        j->next = ended;
        ended = j;
    }
    pthread_mutex_unlock(&lock);
    while (ended) {
        job *j = ended;
        ended = j->next;
        end(j);
    }
}

void *pn_py_job(size_t size, void (*work)(job *), void (*release)(job *))
{
    pn_py_job_collect();
    job *j = calloc(1, size);
    if (!j) return PyErr_NoMemory();
    j->work = work;
    j->release = release;
    return j;
}

void pn_py_job_keep(job *j, PyObject *thing)
{
    if (thing) j->keep[j->keeps++] = Py_NewRef(thing);
}

static void *run(void *given)
{
    job *j = given;
    j->work(j);
    pthread_mutex_lock(&lock);
    j->ended = 1;
    pthread_cond_broadcast(&some_ended);
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* Signals are for the threads of Python. */
static int start(job *j)
{
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before)) return 0;
    int started = !pthread_create(&thread, NULL, run, j);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started) pthread_detach(thread);
    return started;
}

/* Waits for a while; whether it has ended. */
static int wait_for(const job *j)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 20000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&lock);
    if (!j->ended) pthread_cond_timedwait(&some_ended, &lock, &until);
    int ended = j->ended;
    pthread_mutex_unlock(&lock);
    return ended;
}

/* Leaves it to pn_py_job_collect(), or ends it if it is over by now. */
static void leave(job *j)
{
    atomic_store(&j->left, 1);
    if (j->leaving) j->leaving(j);
    pthread_mutex_lock(&lock);
    j->next = left_behind;
    left_behind = j;
    pthread_mutex_unlock(&lock);
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    pn_py_job_collect();
    PyErr_Restore(type, value, trace);
}

int pn_py_job_run(job *j, int brief)
{
    int ended = 0;
    j->ended = 0;
    if (brief || !start(j)) {
        Py_BEGIN_ALLOW_THREADS j->work(j);
        Py_END_ALLOW_THREADS return 1;
    }
    while (!ended) {
        Py_BEGIN_ALLOW_THREADS ended = wait_for(j);
        Py_END_ALLOW_THREADS if (!ended && PyErr_CheckSignals() < 0)
        {
            leave(j);
            return 0;
        }
    }
    return 1;
}

void pn_py_job_end(job *j)
{
    end(j);
}
