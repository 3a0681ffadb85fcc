/* Writes the pages that the browser test opens, by the same functions as the commands.
 *
 *   make_pages FOLDER [MODEL...]
 *
 * Without models: the pages that browser.mjs opens. With models: one page each, to look at. */
#include "pinion/sim/sim.h"
#include "cli/report/report.h"
#include "cli/args/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define EVIL "</script><img src=x onerror='window.hostile=1'><script>window.hostile=1</script>"

static int failures;

static void demand(int ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "make_pages: %s failed\n", what);
    failures++;
}

/* A motion within the limits: each coordinate swings about its middle, with a period of its own. */
static void state_at(const pinion_model *m, double t, double *q)
{
    int nv = pinion_model_nv(m);
    double *v = calloc((size_t)nv + 1, sizeof *v);
    demand(v && pinion_neutral(m, q) == PINION_OK, "neutral");
    for (int i = 0; v && i < pinion_model_joint_count(m); i++) {
        pinion_joint_info joint;
        demand(pinion_model_joint(m, i, &joint) == PINION_OK, "joint");
        for (int k = 0; k < joint.nv; k++) {
            double middle = 0, swing = joint.type == PINION_JOINT_FREE ? (k < 3 ? 0.12 : 0.05) : 0.6;
            if (joint.type == PINION_JOINT_MODE) swing = 0.15;
            double low = joint.dof[k].lower, high = joint.dof[k].upper;
            if (isfinite(low) && isfinite(high)) {
                middle = fmin(high, fmax(low, 0));
                if (middle == low || middle == high) middle = low + 0.4 * (high - low);
                swing = fmin(swing, 0.8 * fmin(middle - low, high - middle));
            }
            if (joint.type == PINION_JOINT_PRISMATIC && !isfinite(low)) middle = 0.4, swing = 0.25;
            int at = joint.v_index + k;
            v[at] = middle + swing * sin(2 * PI * t * (0.25 + 0.07 * (at % 5)) + 0.9 * at);
        }
    }
    if (v) demand(pinion_integrate(m, q, v, 1, q) == PINION_OK, "integrate");
    free(v);
}

static void add_columns(pinion_result *r, const pinion_model *m)
{
    static const char *const what[] = {"q", "v", "a", "tau"};
    demand(pinion_result_add_column(r, "t", "s") == PINION_OK, "column");
    for (int w = 0; w < 4; w++)
        for (int i = 0; i < (w == 0 ? pinion_model_nq(m) : pinion_model_nv(m)); i++) {
            char name[600];
            pinion_coordinate_name(m, what[w], i, name, sizeof name);
            demand(pinion_result_add_column(r, name, pinion_coordinate_unit(m, what[w], i)) == PINION_OK,
                   name);
        }
    demand(pinion_result_add_column(r, "energy.kinetic", "J") == PINION_OK, "column");
    demand(pinion_result_add_column(r, "energy.potential", "J") == PINION_OK, "column");
    demand(pinion_result_add_column(r, "energy.drift", "J") == PINION_OK, "column");
}

/* A result along the motion, with torques by inverse dynamics. */
static pinion_result *make_result(const pinion_model *m, const char *title, int rows, double duration)
{
    size_t nq = (size_t)pinion_model_nq(m), nv = (size_t)pinion_model_nv(m), columns = 1 + nq + 3 * nv + 3;
    pinion_result *r = pinion_result_new();
    pinion_work *w = pinion_work_new(m);
    double *row = calloc(columns, sizeof *row), *near = calloc(5 * nq + 2 * nv + 1, sizeof *near), h = 1e-4;
    pinion_error err;
    demand(r && w && row && near, "memory");
    if (!r || !w || !row || !near) exit(1);
    demand(pinion_result_set(r, "title", title) == PINION_OK, "set");
    demand(pinion_result_set(r, "command", "pinion sim robot --duration 6 --control pd") == PINION_OK, "set");
    demand(pinion_result_set(r, "integrator", "dopri5") == PINION_OK, "set");
    demand(pinion_result_set_model(r, m, &err) == PINION_OK, "set_model");
    add_columns(r, m);
    for (int k = 0; k < rows; k++) {
        double t = duration * k / (rows - 1), *q = row + 1, *v = q + nq, *a = v + nv, *tau = a + nv,
               *e = tau + nv;
        double *v0 = near + 5 * nq, *v1 = v0 + nv;
        row[0] = t;
        for (int i = 0; i < 5; i++) state_at(m, t + (i - 2) * h, near + (size_t)i * nq);
        memcpy(q, near + 2 * nq, nq * sizeof *q);
        demand(pinion_difference(m, near + nq, near + 3 * nq, v) == PINION_OK, "difference");
        demand(pinion_difference(m, near, near + 2 * nq, v0) == PINION_OK, "difference");
        demand(pinion_difference(m, near + 2 * nq, near + 4 * nq, v1) == PINION_OK, "difference");
        for (size_t i = 0; i < nv; i++) {
            v[i] /= 2 * h;
            a[i] = (v1[i] - v0[i]) / (4 * h * h);
        }
        demand(pinion_inverse_dynamics(m, w, q, v, a, NULL, tau) == PINION_OK, "inverse dynamics");
        demand(pinion_energy(m, w, q, v, 0, &e[0], &e[1]) == PINION_OK, "energy");
        e[2] = 1e-11 * sin(3 * t) * t;
        demand(pinion_result_add_row(r, row) == PINION_OK, "row");
    }
    free(row);
    free(near);
    pinion_work_free(w);
    return r;
}

static const char *join(const char *folder, const char *name)
{
    static char path[4200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static pinion_model *bundled(const char *name)
{
    const char *folder = getenv("PINION_MODELS");
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = pinion_load(join(folder ? folder : "models", name), NULL, &err);
    if (!m) fprintf(stderr, "make_pages: %s\n", err.message);
    return m;
}

static void write_robot(const char *folder)
{
    pinion_model *m = bundled("stanford.json");
    if (!m) exit(1);
    pinion_result *r = make_result(m, "The Stanford arm", 601, 6);
    demand(pinion_result_add_event(r, 1.5, "joint3 reaches its upper limit") == PINION_OK, "event");
    demand(pinion_result_add_event(r, 4.25, "stopped") == PINION_OK, "event");
    demand(pn_cli_report_result("test", r, NULL, NULL, NULL, join(folder, "robot.html")) == CLI_DONE, "robot.html");
    /* the same again, with the model in hand in place of the one in the result: the same bytes */
    demand(pn_cli_report_result("test", r, m, NULL, NULL, join(folder, "robot-again.html")) == CLI_DONE,
           "robot-again.html");
    pinion_result_free(r);
    pinion_model_free(m);
}

/* A model all of whose names try to become markup, and a mesh with a hostile texture. */
static void write_hostile(const char *folder)
{
    static const char mesh[] =
        "<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" "
        "version=\"1.4.1\">"
        "<asset><unit meter=\"1\"/><up_axis>Z_UP</up_axis></asset>"
        "<library_images><image "
        "id=\"i\"><init_from>https://example.invalid/pixel.png</init_from></image></library_images>"
        "<library_effects><effect id=\"e\"><profile_COMMON>"
        "<newparam sid=\"s\"><surface type=\"2D\"><init_from>i</init_from></surface></newparam>"
        "<newparam sid=\"p\"><sampler2D><source>s</source></sampler2D></newparam>"
        "<technique sid=\"t\"><phong><diffuse><texture texture=\"p\" "
        "texcoord=\"u\"/></diffuse></phong></technique>"
        "</profile_COMMON></effect></library_effects>"
        "<library_materials><material id=\"m\"><instance_effect url=\"#e\"/></material></library_materials>"
        "<library_geometries><geometry id=\"g\"><mesh>"
        "<source id=\"x\"><float_array id=\"xa\" count=\"12\">0 0 0 0.3 0 0 0 0.3 0 0 0 0.3</float_array>"
        "<technique_common><accessor source=\"#xa\" count=\"4\" stride=\"3\"><param name=\"X\" "
        "type=\"float\"/>"
        "<param name=\"Y\" type=\"float\"/><param name=\"Z\" "
        "type=\"float\"/></accessor></technique_common></source>"
        "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#x\"/></vertices>"
        "<triangles count=\"4\" material=\"mm\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/>"
        "<p>0 1 2 0 1 3 0 2 3 1 2 3</p></triangles></mesh></geometry></library_geometries>"
        "<library_visual_scenes><visual_scene id=\"w\"><node id=\"n\"><instance_geometry "
        "url=\"#g\"><bind_material>"
        "<technique_common><instance_material symbol=\"mm\" "
        "target=\"#m\"/></technique_common></bind_material>"
        "</instance_geometry></node></visual_scene></library_visual_scenes>"
        "<scene><instance_visual_scene url=\"#w\"/></scene></COLLADA>";
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_builder *b = pinion_builder_new(EVIL " model");
    pinion_link_def base = pinion_link_def_default(), arm = pinion_link_def_default();
    base.name = EVIL " base";
    arm.name = EVIL " arm";
    arm.inertia = (pinion_inertia){1, {0.2, 0, 0}, {0.01, 0, 0, 0.01, 0, 0.01}};
    pinion_joint_def joint = pinion_joint_def_default();
    joint.name = EVIL " joint";
    joint.type = PINION_JOINT_CONTINUOUS;
    joint.parent = base.name;
    joint.child = arm.name;
    pinion_frame_def frame = pinion_frame_def_default();
    frame.name = EVIL " tip";
    frame.link = arm.name;
    frame.pose.position[0] = 0.4;
    pinion_visual_def shape = pinion_visual_def_default(), lost = pinion_visual_def_default();
    shape.link = lost.link = arm.name;
    shape.shape = lost.shape = PINION_SHAPE_MESH;
    shape.mesh = "package://robot/hostile.dae";
    lost.mesh = EVIL ".stl";
    for (int i = 0; i < 3; i++) shape.size[i] = lost.size[i] = 1;
    demand(pinion_write_file(join(folder, "hostile.dae"), mesh, sizeof mesh - 1, &err) == PINION_OK,
           "hostile.dae");
    demand(pinion_builder_add_link(b, &base, &err) == PINION_OK &&
               pinion_builder_add_link(b, &arm, &err) == PINION_OK &&
               pinion_builder_add_joint(b, &joint, &err) == PINION_OK &&
               pinion_builder_add_frame(b, &frame, &err) == PINION_OK &&
               pinion_builder_add_visual(b, &shape, &err) == PINION_OK &&
               pinion_builder_add_visual(b, &lost, &err) == PINION_OK,
           err.message);
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    demand(m != NULL, err.message);
    if (!m) exit(1);
    pinion_result *r = make_result(m, EVIL " title", 50, 2);
    demand(pinion_result_set(r, "comment", EVIL " and not UTF-8: \xff\xc0\x80 \xe2\x80\xa8") == PINION_OK,
           "set");
    demand(pinion_result_add_event(r, 1, EVIL " event") == PINION_OK, "event");
    pinion_builder_free(b);

    const char *cells[] = {EVIL, "b", "c", EVIL};
    double x[] = {1, 2, 3};
    cli_series series = {.name = EVIL, .count = 3, .x = x, .y = x};
    cli_figure figure = {
        .caption = EVIL, .x_label = EVIL, .y_label = EVIL, .series_count = 1, .series = &series};
    cli_document *doc = pn_cli_document_new(EVIL " title", EVIL);
    pn_cli_document_result(doc, r, m, join(folder, "hostile.dae"));
    pinion_model_free(m);
    pn_cli_document_section(doc, EVIL);
    pn_cli_document_text(doc, "%s", EVIL);
    pn_cli_document_note(doc, "%s", EVIL);
    pn_cli_document_table(doc, EVIL, 2, 2, cells, NULL);
    pn_cli_document_figure(doc, &figure);
    demand(pn_cli_document_write("test", doc, join(folder, "hostile.html")) == CLI_DONE, "hostile.html");
    pn_cli_document_free(doc);
    pinion_result_free(r);
}

/* A robot whose links are meshes of each kind that the page reads, found in the ways that models name them.
 */
static void write_meshes(const char *folder)
{
    static const char urdf[] =
        "<robot name='meshes'><link name='base'><visual><geometry><mesh filename='part.obj' scale='2 2 "
        "2'/></geometry>"
        "</visual></link>"
        "<link name='one'><visual><geometry><mesh "
        "filename='package://some_robot/part.stl'/></geometry></visual></link>"
        "<link name='two'><visual><geometry><mesh filename='./binary.STL'/></geometry></visual></link>"
        "<link name='three'><visual><geometry><mesh "
        "filename='package://some_robot/pages/hostile.dae'/></geometry>"
        "</visual></link>"
        "<joint name='a' type='continuous'><parent link='base'/><child link='one'/><origin xyz='0 0 "
        "0.4'/></joint>"
        "<joint name='b' type='continuous'><parent link='one'/><child link='two'/><origin xyz='0.4 0 "
        "0'/></joint>"
        "<joint name='c' type='continuous'><parent link='two'/><child link='three'/><origin xyz='0.4 0 "
        "0'/></joint>"
        "</robot>";
    static const char obj[] = "v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 0 .1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n";
    static const char stl[] =
        "solid part\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex .3 0 0\nvertex 0 .3 0\n"
        "endloop\nendfacet\nendsolid part\n";
    unsigned char binary[84 + 50] = {0};
    const float triangle[12] = {0, 0, 1, 0, 0, 0, 0.3f, 0, 0, 0, 0.3f, 0};
    binary[80] = 1;
    memcpy(binary + 84, triangle, sizeof triangle); /* the machines that test this are little-endian */
    pinion_error err = {PINION_OK, 0, 0, ""};
    demand(pinion_write_file(join(folder, "part.obj"), obj, sizeof obj - 1, &err) == PINION_OK, "part.obj");
    demand(pinion_write_file(join(folder, "part.stl"), stl, sizeof stl - 1, &err) == PINION_OK, "part.stl");
    demand(pinion_write_file(join(folder, "binary.STL"), binary, sizeof binary, &err) == PINION_OK,
           "binary.STL");
    demand(pinion_write_file(join(folder, "meshes.urdf"), urdf, sizeof urdf - 1, &err) == PINION_OK,
           "meshes.urdf");
    pinion_model *m = pinion_load(join(folder, "meshes.urdf"), NULL, &err);
    demand(m != NULL, err.message);
    if (!m) exit(1);
    pinion_result *r = pinion_result_new();
    demand(pinion_result_set_model(r, m, &err) == PINION_OK, "set_model");
    demand(pinion_result_add_column(r, "t", "s") == PINION_OK &&
               pinion_result_add_column(r, "q.a", "rad") == PINION_OK &&
               pinion_result_add_column(r, "q.b", "rad") == PINION_OK &&
               pinion_result_add_column(r, "q.c", "rad") == PINION_OK,
           "column");
    for (int i = 0; i < 20; i++) {
        double row[] = {0.1 * i, 0.1 * i, 0.05 * i, -0.1 * i};
        demand(pinion_result_add_row(r, row) == PINION_OK, "row");
    }
    char model_path[4200];
    snprintf(model_path, sizeof model_path, "%s", join(folder, "meshes.urdf"));
    demand(pn_cli_report_result("test", r, NULL, model_path, NULL, join(folder, "meshes.html")) == CLI_DONE,
           "meshes.html");
    demand(pn_cli_report_result("test", r, NULL, NULL, NULL, join(folder, "lost.html")) == CLI_DONE, "lost.html");
    pinion_result_free(r);
    pinion_model_free(m);
}

/* A document as papers make them: text, tables, figures of every kind, two playbacks. */
static void write_study(const char *folder)
{
    enum { N = 200 };
    static double n[N], cubic[N], linear[N], t[N], sine[N], x[N], y[N], few[4] = {2, 8, 32, 128}, times[4];
    for (int i = 0; i < N; i++) {
        n[i] = i + 1;
        cubic[i] = 2e-9 * n[i] * n[i] * n[i] + 1e-7 * n[i];
        linear[i] = 4e-7 * n[i];
        t[i] = 0.05 * i;
        sine[i] = i >= 90 && i < 100 ? NAN : 3e-12 * sin(t[i]);
        x[i] = sin(1.5 * t[i]);
        y[i] = 0.5 * sin(t[i] + 0.4);
    }
    for (int i = 0; i < 4; i++) times[i] = 5e-7 * few[i];
    cli_document *doc = pn_cli_document_new("A study", "what a paper's report is made of");
    pn_cli_document_text(doc, "A paragraph before the first section.");
    pn_cli_document_section(doc, "Times");
    cli_series timing[] = {
        {.name = "CRBA", .count = N, .x = n, .y = cubic},
        {.name = "ABA", .count = N, .x = n, .y = linear, .dashed = 1},
        {.name = "measured", .count = 4, .x = few, .y = times, .style = CLI_LINES_AND_POINTS}};
    cli_figure logs = {.caption = "Fig. 1. Time of a call against the number of joints.",
                       .x_label = "joints n",
                       .y_label = "time (s)",
                       .x_log = 1,
                       .y_log = 1,
                       .series_count = 3,
                       .series = timing};
    pn_cli_document_figure(doc, &logs);
    pn_cli_document_section(doc, "Errors");
    pn_cli_document_note(doc, "What the paper leaves open was assumed.");
    cli_series error = {.name = "error", .count = N, .x = t, .y = sine};
    cli_figure gap = {.caption = "Fig. 2. An error with a gap.",
                      .x_label = "time (s)",
                      .y_label = "error (m)",
                      .series_count = 1,
                      .series = &error};
    pn_cli_document_figure(doc, &gap);
    cli_series path = {.name = "path", .count = N, .x = x, .y = y, .style = CLI_LINES_AND_POINTS};
    cli_figure plane = {.caption = "Fig. 3. A path that turns back.",
                        .x_label = "x (m)",
                        .y_label = "y (m)",
                        .equal = 1,
                        .series_count = 1,
                        .series = &path};
    pn_cli_document_figure(doc, &plane);
    const char *cells[] = {"method", "multiplications", "additions", "CRBA", "1234", "987", "ABA", "860",
                           "721"};
    pn_cli_document_table(doc, "Table 1. Operations.", 3, 3, cells, "lrr");
    const char *models[] = {"planar-3r.json", "puma560-corke.json"};
    for (int i = 0; i < 2; i++) {
        pinion_model *m = bundled(models[i]);
        if (!m) exit(1);
        pinion_result *r = make_result(m, "motion", 301, 4);
        pn_cli_document_section(doc, pinion_model_name(m));
        pn_cli_document_result(doc, r, NULL, NULL);
        pinion_result_free(r);
        pinion_model_free(m);
    }
    demand(pn_cli_document_write("test", doc, join(folder, "study.html")) == CLI_DONE, "study.html");
    pn_cli_document_free(doc);
}

/* A result without a model, with numbers that cannot be drawn. */
static void write_bare(const char *folder)
{
    pinion_result *r = pinion_result_new();
    demand(pinion_result_add_column(r, "t", "s") == PINION_OK &&
               pinion_result_add_column(r, "q.a", "rad") == PINION_OK &&
               pinion_result_add_column(r, "q.b", "rad") == PINION_OK,
           "column");
    for (int i = 0; i < 30000; i++) {
        double row[] = {1e-4 * i, i % 7 == 3 ? NAN : sin(1e-3 * i), INFINITY};
        demand(pinion_result_add_row(r, row) == PINION_OK, "row");
    }
    demand(pn_cli_report_result("test", r, NULL, NULL, NULL, join(folder, "bare.html")) == CLI_DONE, "bare.html");
    pinion_result_free(r);
}

/* A page for any model, to look at. */
static void write_model(const char *folder, const char *path, int free_root)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_load_options options = pinion_load_options_default();
    if (free_root) options.root = PINION_ROOT_FREE;
    pinion_model *m = pinion_load(path, &options, &err);
    if (!m) {
        fprintf(stderr, "make_pages: %s\n", err.message);
        failures++;
        return;
    }
    pinion_result *r = make_result(m, pinion_model_name(m), 301, 6);
    const char *slash = strrchr(path, '/');
    char name[300];
    snprintf(name, sizeof name, "%.250s.html", slash ? slash + 1 : path);
    demand(pn_cli_report_result("test", r, NULL, path, NULL, join(folder, name)) == CLI_DONE, name);
    pinion_result_free(r);
    pinion_model_free(m);
}

/* A base that carries three arms. */
static void write_delta(const char *folder)
{
    const char *models = getenv("PINION_MODELS");
    char path[4200];
    snprintf(path, sizeof path, "%s/delta.json", models ? models : "models");
    write_model(folder, path, 0);
}

/* A run of a joint with limits towards a target, by the library itself. */
static void write_tracked(const char *folder)
{
    static const char text[] =
        "{\"pinion\": 1, \"name\": \"rod\", \"links\": [{\"name\": \"base\"}, {\"name\": \"arm\", \"mass\": 2,"
        " \"com\": [0, 0, -0.5], \"inertia\": {\"xx\": 0.2, \"yy\": 0.2, \"zz\": 0.1}}],"
        " \"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"axis\": [0, 1, 0], \"parent\": \"base\","
        " \"child\": \"arm\", \"limits\": [-1, 1.2]}]}";
    const double start[1] = {-0.5}, there[1] = {1}, kp[1] = {100}, kd[1] = {20};
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, "rod", NULL, &err);
    pinion_control_def control = pinion_control_def_default();
    control.kind = PINION_CONTROL_COMPUTED;
    control.hold = there;
    control.kp = kp;
    control.kd = kd;
    pinion_controller *c = m ? pinion_controller_new(m, &control, &err) : NULL;
    pinion_run_def def = pinion_run_def_default();
    def.duration = 1;
    def.q = start;
    def.result = pinion_result_new();
    def.tracked = c;
    def.sim.actuators = pinion_controller_actuators;
    def.sim.actuators_user = c;
    pinion_run *run = c ? pinion_run_new(m, &def, &err) : NULL;
    demand(run && pinion_run_to_end(run) == PINION_OK, err.message);
    demand(pn_cli_report_result("test", def.result, m, NULL, NULL, join(folder, "tracked.html")) == CLI_DONE,
           "tracked.html");
    pinion_run_free(run);
    pinion_controller_free(c);
    pinion_result_free(def.result);
    pinion_model_free(m);
}

/* A crate that slides over the ground and comes to rest. */
static void write_crate(const char *folder)
{
    static const char text[] =
        "{\"pinion\": 1, \"name\": \"crate\", \"links\": [{\"name\": \"world\"}, {\"name\": \"box\", \"mass\": 2,"
        " \"inertia\": {\"xx\": 0.02, \"yy\": 0.02, \"zz\": 0.02}, \"collisions\": [{\"shape\": \"box\","
        " \"size\": [0.3, 0.2, 0.1], \"friction\": 0.3}],"
        " \"visuals\": [{\"shape\": \"box\", \"size\": [0.3, 0.2, 0.1]}]}],"
        " \"joints\": [{\"name\": \"fly\", \"type\": \"free\", \"parent\": \"world\", \"child\": \"box\"}]}";
    const double q[7] = {1, 0, 0, 0, 0, 0, 0.05}, v[6] = {0, 0, 0, 1, 0, 0};
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, "crate", NULL, &err);
    pinion_scene_options contact = pinion_scene_options_default();
    pinion_run_def def = pinion_run_def_default();
    contact.ground = 1;
    def.duration = 0.5;
    def.q = q;
    def.v = v;
    def.result = pinion_result_new();
    def.sim.contact = &contact;
    def.sim.integrator = PINION_INTEGRATOR_EULER;
    def.sim.step = 1e-3;
    pinion_run *run = m ? pinion_run_new(m, &def, &err) : NULL;
    demand(run && pinion_run_to_end(run) == PINION_OK, err.message);
    demand(pn_cli_report_result("test", def.result, m, NULL, NULL, join(folder, "crate.html")) == CLI_DONE,
           "crate.html");
    pinion_run_free(run);
    pinion_result_free(def.result);
    pinion_model_free(m);
}

/* A beam clamped to the world, on its end a link by shapes with a slider, and fixed half way a ball, on which one node
 * moves. */
static void write_bent(const char *folder)
{
    static const char text[] =
        "{\"pinion\": 1, \"name\": \"bent\", \"links\": [{\"name\": \"pole\", \"elastic\": {\"beam\":"
        " {\"length\": 1, \"mass_per_length\": 0.3, \"EI\": 3, \"modes\": [0, 2]},"
        " \"origin\": {\"position\": [0, 0, 0.5]}},"
        " \"visuals\": [{\"shape\": \"box\", \"size\": [1, 0.1, 0.02], \"origin\": {\"position\": [0.5, 0, 0.5]}}]},"
        " {\"name\": \"whip\", \"elastic\": {\"shapes\": {\"positions\": [[0.2, 0, 0], [0.4, 0, 0], [0.6, 0, 0]],"
        " \"masses\": [0.1, 0.1, 0.1], \"translations\": [[[0, 0, 0], [0, 0.3, 0], [0, 1, 0]]],"
        " \"rotations\": [[[0, 0, 0], [0, 0, 2.5], [0, 0, 3.5]]], \"stiffness_matrix\": [[4]]}}},"
        " {\"name\": \"slider\", \"mass\": 0.1, \"inertia\": {\"xx\": 1e-4, \"yy\": 1e-4, \"zz\": 1e-4}},"
        " {\"name\": \"ball\", \"mass\": 0.1, \"inertia\": {\"xx\": 1e-4, \"yy\": 1e-4, \"zz\": 1e-4},"
        " \"visuals\": [{\"shape\": \"sphere\", \"radius\": 0.03}]}, {\"name\": \"bud\", \"elastic\": {\"shapes\":"
        " {\"positions\": [[0, 0, 0.1]], \"masses\": [0.1], \"translations\": [[[0.5, 0, 0]]],"
        " \"stiffness_matrix\": [[9]]}}, \"visuals\": [{\"shape\": \"box\", \"size\": [0.02, 0.02, 0.02]}]}],"
        " \"frames\": [{\"name\": \"middle\", \"link\": \"pole\", \"origin\": {\"position\": [0.5, 0, 0.5]}}],"
        " \"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"parent\": \"pole\", \"child\": \"whip\","
        " \"origin\": {\"position\": [1, 0, 0.5]}, \"axis\": [0, 1, 0]},"
        " {\"name\": \"slide\", \"type\": \"prismatic\", \"parent\": \"whip\", \"child\": \"slider\","
        " \"origin\": {\"position\": [0.6, 0, 0]}, \"axis\": [0, 0, 1]},"
        " {\"name\": \"hold\", \"type\": \"fixed\", \"parent\": \"pole\", \"child\": \"ball\","
        " \"origin\": {\"position\": [0.5, 0, 0.56]}}, {\"name\": \"grow\", \"type\": \"fixed\", \"parent\": \"ball\","
        " \"child\": \"bud\"}]}";
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, "bent", NULL, &err);
    demand(m != NULL, err.message);
    if (!m) return;
    pinion_result *r = make_result(m, "Links that bend", 101, 4);
    demand(pn_cli_report_result("test", r, NULL, NULL, NULL, join(folder, "bent.html")) == CLI_DONE, "bent.html");
    pinion_result_free(r);
    pinion_model_free(m);
}

/* A craft at rest whose jet pushes upwards with 10, 5 and -2.5 N. */
static void write_jet(const char *folder)
{
    static const char text[] =
        "{\"pinion\": 1, \"name\": \"jet\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"world\"},"
        " {\"name\": \"craft\", \"mass\": 1, \"inertia\": {\"xx\": 0.01, \"yy\": 0.01, \"zz\": 0.01},"
        " \"visuals\": [{\"shape\": \"sphere\", \"radius\": 0.2}]}],"
        " \"frames\": [{\"name\": \"nozzle\", \"link\": \"craft\", \"origin\": {\"position\": [0, 0, 0.3]}}],"
        " \"joints\": [{\"name\": \"fly\", \"type\": \"free\", \"parent\": \"world\", \"child\": \"craft\"}],"
        " \"actuators\": [{\"name\": \"jet\", \"frame\": \"nozzle\", \"force\": [0, 0, 1], \"gear\": 2}]}";
    static const double force[] = {10, 5, -2.5};
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, "jet", NULL, &err);
    demand(m != NULL, err.message);
    if (!m) return;
    pinion_result *r = pinion_result_new();
    demand(pinion_result_set_model(r, m, &err) == PINION_OK, "set_model");
    demand(pinion_result_add_column(r, "t", "s") == PINION_OK, "column");
    for (int i = 0; i < 7; i++) {
        char name[600];
        pinion_coordinate_name(m, "q", i, name, sizeof name);
        demand(pinion_result_add_column(r, name, pinion_coordinate_unit(m, "q", i)) == PINION_OK, name);
    }
    demand(pinion_result_add_column(r, "actuator.jet", "N") == PINION_OK, "column");
    for (int i = 0; i < 3; i++) {
        const double row[9] = {i, 1, 0, 0, 0, 0, 0, 0, force[i]};
        demand(pinion_result_add_row(r, row) == PINION_OK, "row");
    }
    demand(pn_cli_report_result("test", r, NULL, NULL, NULL, join(folder, "jet.html")) == CLI_DONE, "jet.html");
    pinion_result_free(r);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: make_pages FOLDER [[--free] MODEL...]\n");
        return 2;
    }
    int free_root = 0;
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], "--free") == 0)
            free_root = 1;
        else
            write_model(argv[1], argv[i], free_root);
    if (argc == 2) {
        write_robot(argv[1]);
        write_hostile(argv[1]);
        write_meshes(argv[1]);
        write_study(argv[1]);
        write_bare(argv[1]);
        write_delta(argv[1]);
        write_tracked(argv[1]);
        write_crate(argv[1]);
        write_bent(argv[1]);
        write_jet(argv[1]);
    }
    return failures ? 1 : 0;
}
