/* One thread at a time in the HDF5 library, which stays silent. */
#include "sim/result/hdf5_lock.h"

#include <pthread.h>
#include <stdio.h>

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

hid_t pn_hdf5_string_type(size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0 && H5Tset_size(type, size ? size : 1) >= 0 && H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 &&
        H5Tset_cset(type, H5T_CSET_UTF8) >= 0)
        return type;
    H5Tclose(type);
    return H5I_INVALID_HID;
}

int pn_hdf5_put_attribute(hid_t object, const char *name, hid_t file_type, hid_t memory_type, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    int fine = attribute >= 0 && H5Awrite(attribute, memory_type, value) >= 0;
    H5Aclose(attribute);
    H5Sclose(space);
    return fine;
}

void pn_hdf5_link_name(const char *name, char *link)
{
    size_t to = 0;
    for (const char *s = name; *s; s++) {
        if (*s == '/' || *s == '%' || (*s == '.' && s == name && (!s[1] || (s[1] == '.' && !s[2]))))
            to += (size_t)snprintf(link + to, 4, "%%%02X", (unsigned char)*s);
        else
            link[to++] = *s;
    }
    link[to] = '\0';
}
