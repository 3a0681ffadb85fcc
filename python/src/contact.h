/* What the files about contact share. */
#ifndef PN_PYTHON_CONTACT_H
#define PN_PYTHON_CONTACT_H

#include "setting.h"

#include "pinion/support.h"

/* (cone, dual, complementarity, dissipation, natural, worst) */
PyObject *pn_py_residuals(const pinion_contact_residuals *r);
/* (residuals, name of the solver, iterations, undetermined, least_norm) */
PyObject *pn_py_contact_solution(const pinion_contact_solution *s);
/* How a solver works; 0 with an exception where there is none of that name. */
int pn_py_contact_options(const char *solver, double tolerance, int iterations, int least_norm,
                          pinion_contact_options *o);
/* A dictionary of the options of a scene, those that are given; 0 with an exception. */
int pn_py_scene_options(PyObject *given, pinion_scene_options *o);

/* (first, second, point, normal, friction) of points, a row each; first and second are links, -1 the world. */
PyObject *pn_py_support_points(const pinion_support_point *points, npy_intp count);

#endif
