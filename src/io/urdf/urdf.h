/* The URDF reader, from the inside. */
#ifndef PN_URDF_H
#define PN_URDF_H

#include "io/xml/xml.h"

/* urdf_schema.c: tells of elements and attributes that URDF does not have; where `strict`, those that do not concern
 * looks are an error. Returns 0 on failure. */
int pn_urdf_check(const pn_xml *u, int strict, const xmlNode *robot);

#endif
