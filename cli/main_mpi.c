/* pinion-mpi: the command, whose sweeps go over all processes that mpirun or srun started. All else is done
 * by the first of them. */
#include "cli/args/entry.h"
#include "cli/sweep/sweep_team.h"

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static MPI_Win counter; /* a number of rank 0 that all count on */

/* Counting begins anew: no one takes of the counter until this has told it. */
static int begin_counting(void)
{
    const uint64_t zero = 0;
    uint64_t was;
    int rank = 0;
    return MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS &&
           (rank > 0 ||
            (MPI_Fetch_and_op(&zero, &was, MPI_UINT64_T, 0, 0, MPI_REPLACE, counter) == MPI_SUCCESS &&
             MPI_Win_flush(0, counter) == MPI_SUCCESS));
}

static int share(void *user, void *bytes, size_t size)
{
    (void)user;
    return begin_counting() && size <= 0x7fffffff &&
           MPI_Bcast(bytes, (int)size, MPI_BYTE, 0, MPI_COMM_WORLD) == MPI_SUCCESS;
}

static int sum(void *user, uint64_t *numbers, int count)
{
    (void)user;
    return MPI_Allreduce(MPI_IN_PLACE, numbers, count, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS;
}

static int take(void *user, uint64_t count, uint64_t *first)
{
    (void)user;
    return MPI_Fetch_and_op(&count, first, MPI_UINT64_T, 0, 0, MPI_SUM, counter) == MPI_SUCCESS &&
           MPI_Win_flush(0, counter) == MPI_SUCCESS;
}

/* Lets the library answer what other processes ask of the counter. */
static void idle(void *user)
{
    int there;
    (void)user;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* a file that may not be so large is an error to be told, as a full disk is */
    int level = 0, rank = 0, ranks = 1;
    uint64_t *number = NULL;
    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level) != MPI_SUCCESS ||
        level < MPI_THREAD_SERIALIZED) {
        fputs("pinion-mpi: this MPI cannot be used by several threads\n", stderr);
        return 1;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    /* the first says for all what there is to say */
    if (rank > 0 && (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))) return 1;
    MPI_Win_allocate(rank == 0 ? sizeof *number : 0, sizeof *number, MPI_INFO_NULL, MPI_COMM_WORLD, &number,
                     &counter);
    if (rank == 0) *number = 0;
    MPI_Win_lock_all(0, counter);
    MPI_Barrier(MPI_COMM_WORLD);
    const pinion_sweep_team team = {
        .rank = rank, .ranks = ranks, .share = share, .sum = sum, .take = take, .idle = idle};
    const int sweeps = argc > 1 && strcmp(argv[1], "sweep") == 0;
    if (sweeps) pn_cli_team = &team;
    const int status = sweeps || rank == 0 ? pn_cli_main(argc, argv) : 0;
    MPI_Win_unlock_all(counter);
    MPI_Win_free(&counter);
    MPI_Finalize();
    return status;
}
