/* One thread at a time in the HDF5 library, which stays silent. */
#include "sim/result/hdf5_lock.h"

#include <pthread.h>

static pthread_mutex_t library =
    PTHREAD_MUTEX_INITIALIZER; /* guards no data of ours, only the library's own */

int pn_hdf5_begin(pn_hdf5 *h)
{
    pthread_mutex_lock(&library);
    if (H5open() >= 0 && H5Eget_auto2(H5E_DEFAULT, &h->print, &h->print_data) >= 0 &&
        H5Eset_auto2(H5E_DEFAULT, NULL, NULL) >= 0)
        return 1;
    pthread_mutex_unlock(&library);
    return 0;
}

void pn_hdf5_end(pn_hdf5 *h)
{
    H5Eset_auto2(H5E_DEFAULT, h->print, h->print_data);
    pthread_mutex_unlock(&library);
}
