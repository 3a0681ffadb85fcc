/* Elastic links in model files: what is read is written and read again to the same bits; every mistake gets one line
 * that says where and what. */
#include "check.h"
#include "pinion/io.h"
#include "pinion/pinion.h"

/* The link begins on line 2, "elastic" on line 4. */
#define MODEL(elastic, more, top)                                                                            \
    "{\"pinion\": 1, \"links\": [{\"name\": \"base\"},\n {\"name\": \"arm\",\n  \"mass\": 1,\n"                  \
    "  \"elastic\": " elastic more "}]" top                                                                   \
    ",\n \"joints\": [{\"name\": \"j\", \"type\": \"revolute\", \"parent\": \"base\", \"child\": \"arm\"}]}"
#define BEAM(modes, more)                                                                                    \
    "{\"beam\": {\"length\": 1, \"mass_per_length\": 1, \"EI\": 1,\n \"modes\": " modes more "}}"
#define SHAPES(positions, masses, translations, stiffness, more)                                             \
    "{\"shapes\": {" positions masses translations stiffness more " \"comment\": \"\"}}"
#define POSITIONS "\"positions\": [[1, 0, 0], [2, 0, 0]],\n"
#define MASSES "\"masses\": [1, 1],\n"
#define TRANSLATIONS "\"translations\": [[[0, 1, 0], [0, 2, 0]]],\n"
#define STIFFNESS "\"stiffness_matrix\": [[1]],\n"

static pinion_model *read_text(const char *text, pinion_error *err)
{
    return pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, "text", NULL, err);
}

static void bad(int source, pinion_status status, int line, const char *part, const char *text)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = read_text(text, &err);
    char where[40];
    snprintf(where, sizeof where, "text:%d: ", line);
    check_count++;
    if (m) CHECK_FAIL("case of line %d loads, expected \"%s\"", source, part);
    else if (strncmp(err.message, where, strlen(where)) != 0 || !strstr(err.message, part) || err.status != status)
        CHECK_FAIL("case of line %d: \"%s\" (status %d), expected line %d and \"%s\"", source, err.message,
                   (int)err.status, line, part);
    pinion_model_free(m);
}
#define PARSE(line, part, elastic) bad(__LINE__, PINION_ERR_PARSE, line, part, MODEL(elastic, "", ""))
#define FAULT(part, elastic) bad(__LINE__, PINION_ERR_MODEL, 2, "link 'arm': " part, MODEL(elastic, "", ""))

TEST(what_is_no_elastic_link)
{
    PARSE(4, "links[1].elastic: found a number, expected an object", "3");
    PARSE(4, "links[1].elastic: has neither \"beam\" nor \"shapes\", expected one of them", "{}");
    PARSE(4, "links[1].elastic: has a beam and shapes, expected one of them", "{\"beam\": {}, \"shapes\": {}}");
    PARSE(5, "links[1].elastic: unknown key \"bem\", expected one of beam,", "{\n\"bem\": {}}");
    PARSE(5, "damping_ratio: is negative", "{\"beam\": {},\n\"damping_ratio\": -1}");
    PARSE(5, "origin.position: has 1 element, expected an array of 3",
          "{\"beam\": {},\n\"origin\": {\"position\": [1]}}");
    PARSE(6, "initial: found a number, expected an object",
          "{\"beam\": {\"length\": 1,\n\"mass_per_length\": 1, \"EI\": 1, \"modes\": 1},\n\"initial\": 3}");
    PARSE(5, "initial: unknown key \"x\", expected one of q, v",
          "{\"beam\": {\"length\": 1, \"mass_per_length\": 1, \"EI\": 1, \"modes\": 1},\n\"initial\": {\"x\": []}}");
    PARSE(5, "initial.q: has 3 elements, expected an array of 2 numbers",
          "{\"beam\": {\"length\": 1, \"mass_per_length\": 1, \"EI\": 1, \"modes\": 1},\n"
          "\"initial\": {\"q\": [1, 2, 3]}}");
    PARSE(5, "initial.v[0]: found a string, expected a number",
          "{\"beam\": {\"length\": 1, \"mass_per_length\": 1, \"EI\": 1, \"modes\": 1},\n"
          "\"initial\": {\"v\": [\"a\", 1]}}");
}

TEST(beams)
{
    PARSE(4, "elastic.beam: found a number, expected an object", "{\"beam\": 3}");
    PARSE(6, "elastic.beam: unknown key \"width\", expected one of length,", BEAM("1", ",\n\"width\": 1"));
    PARSE(4, "elastic.beam: the key \"length\" is missing", "{\"beam\": {}}");
    PARSE(4, "elastic.beam: the key \"mass_per_length\" is missing", "{\"beam\": {\"length\": 1}}");
    PARSE(4, "elastic.beam: the key \"modes\" is missing", "{\"beam\": {\"length\": 1, \"mass_per_length\": 1}}");
    PARSE(4, "elastic.beam.length: found a string, expected a number", "{\"beam\": {\"length\": \"a\"}}");
    PARSE(4, "beam.EI: has 1 element, expected an array of 2",
          "{\"beam\": {\"length\": 1, \"mass_per_length\": 1, \"EI\": [1], \"modes\": 1}}");
    PARSE(6, "beam.GJ: is negative", BEAM("1", ",\n\"GJ\": -1"));
    PARSE(6, "beam.polar_inertia_per_length: is negative", BEAM("1", ",\n\"polar_inertia_per_length\": -1"));
    PARSE(6, "beam.boundary: is \"glued\", expected \"clamped-free\", ", BEAM("1", ",\n\"boundary\": \"glued\""));
    PARSE(6, "beam.tip: found a number, expected an object", BEAM("1", ",\n\"tip\": 3"));
    PARSE(6, "beam.tip: unknown key \"mas\", expected one of mass, inertia", BEAM("1", ",\n\"tip\": {\"mas\": 1}"));
    PARSE(6, "beam.tip.mass: is negative", BEAM("1", ",\n\"tip\": {\"mass\": -1}"));
    PARSE(6, "beam.tip.inertia: has 2 elements, expected an array of 3",
          BEAM("1", ",\n\"tip\": {\"inertia\": [1, 2]}"));
    PARSE(6, "beam.load.mass: is negative", BEAM("1", ",\n\"load\": {\"mass\": -1}"));
    PARSE(5, "beam.modes: found 1.5, expected whole numbers from 0 to 12", BEAM("1.5", ""));
    PARSE(5, "beam.modes: found 13, expected whole numbers from 0 to 12", BEAM("[1, 13]", ""));
    PARSE(5, "beam.modes: found -1, expected whole numbers", BEAM("-1", ""));
    PARSE(5, "beam.modes: found an array, expected a number, or one to three", BEAM("[]", ""));
    PARSE(5, "beam.modes: found an array, expected a number, or one to three", BEAM("[1, 1, 1, 1]", ""));
    PARSE(5, "beam.modes[1]: found a string, expected a number", BEAM("[1, \"a\"]", ""));

    FAULT("an inertia at its tip is negative", BEAM("1", ", \"tip\": {\"inertia\": -1}"));
    FAULT("a load shapes modes of the boundary clamped-mass alone", BEAM("1", ", \"load\": {\"mass\": 1}"));
    FAULT("the boundary clamped-mass needs a tip or a load", BEAM("1", ", \"boundary\": \"clamped-mass\""));
    FAULT("its beam has no modes; expected at least one", BEAM("[0, 0]", ""));
    FAULT("modes of torsion need a torsion stiffness GJ", BEAM("[0, 0, 1]", ""));
    FAULT("its beam has more modes than there can be; expected 24 in all",
          BEAM("[12, 12, 1]", ", \"GJ\": 1, \"polar_inertia_per_length\": 1"));
    FAULT("its beam has more modes than there can be",
          BEAM("[12, 12, 12]", ", \"GJ\": 1, \"polar_inertia_per_length\": 1"));
    FAULT("the length of its beam is not a positive number",
          "{\"beam\": {\"length\": 0, \"mass_per_length\": 1, \"EI\": 1, \"modes\": 1}}");
    FAULT("the mass per length of its beam is not a positive number",
          "{\"beam\": {\"length\": 1, \"mass_per_length\": 0, \"EI\": 1, \"modes\": 1}}");
    FAULT("the bending stiffness EI of its beam is not a positive number where it has modes",
          "{\"beam\": {\"length\": 1, \"mass_per_length\": 1, \"modes\": 1}}");
    FAULT("the bending stiffness EI of its beam is not a positive number where it has modes",
          "{\"beam\": {\"length\": 1, \"mass_per_length\": 1, \"EI\": [1, -1], \"modes\": [1, 0]}}");
    FAULT("the numbers of its beam are too far apart",
          "{\"beam\": {\"length\": 1, \"mass_per_length\": 1, \"EI\": 1e308, \"modes\": 12}}");
}

TEST(shapes)
{
    PARSE(4, "elastic.shapes: found a number, expected an object", "{\"shapes\": 3}");
    PARSE(4, "elastic.shapes: the key \"positions\" is missing", SHAPES("", MASSES, TRANSLATIONS, STIFFNESS, ""));
    PARSE(4, "elastic.shapes: the key \"masses\" is missing", SHAPES(POSITIONS, "", TRANSLATIONS, STIFFNESS, ""));
    PARSE(4, "elastic.shapes: the key \"translations\" is missing", SHAPES(POSITIONS, MASSES, "", STIFFNESS, ""));
    PARSE(4, "elastic.shapes: the key \"stiffness_matrix\" is missing",
          SHAPES(POSITIONS, MASSES, TRANSLATIONS, "", ""));
    PARSE(8, "elastic.shapes: unknown key \"forces\", expected one of positions,",
          SHAPES(POSITIONS, MASSES, TRANSLATIONS, STIFFNESS, "\"forces\": [],"));
    PARSE(4, "shapes.positions: found 0 nodes, expected 1 to 1024", "{\"shapes\": {\"positions\": []}}");
    PARSE(4, "shapes.positions: found a number, expected an array", "{\"shapes\": {\"positions\": 3}}");
    PARSE(4, "shapes.positions[0]: has 2 elements, expected an array of 3 numbers",
          SHAPES("\"positions\": [[1, 0], [2, 0, 0]],\n", MASSES, TRANSLATIONS, STIFFNESS, ""));
    PARSE(5, "shapes.masses: has 1 element, expected an array of 2 numbers",
          SHAPES(POSITIONS, "\"masses\": [1],\n", TRANSLATIONS, STIFFNESS, ""));
    PARSE(6, "shapes.translations: found 0 modes, expected 1 to 24",
          SHAPES(POSITIONS, MASSES, "\"translations\": [],\n", STIFFNESS, ""));
    PARSE(6, "shapes.translations[0]: has 1 element, expected an array of 2 arrays",
          SHAPES(POSITIONS, MASSES, "\"translations\": [[[0, 1, 0]]],\n", STIFFNESS, ""));
    PARSE(7, "shapes.stiffness_matrix[0]: has 2 elements, expected an array of 1",
          SHAPES(POSITIONS, MASSES, TRANSLATIONS, "\"stiffness_matrix\": [[1, 2]],\n", ""));
    PARSE(8, "shapes.rotations: has 2 elements, expected an array of 1 arrays",
          SHAPES(POSITIONS, MASSES, TRANSLATIONS, STIFFNESS, "\"rotations\": [[], []],"));
    PARSE(8, "shapes.inertias: has 1 element, expected an array of 2 arrays",
          SHAPES(POSITIONS, MASSES, TRANSLATIONS, STIFFNESS, "\"inertias\": [[1, 0, 0, 1, 0, 1]],"));
    PARSE(8, "shapes.mass_matrix[0]: has 2 elements",
          SHAPES(POSITIONS, MASSES, TRANSLATIONS, STIFFNESS, "\"mass_matrix\": [[1, 2]],"));
    PARSE(8, "shapes.damping_matrix[0][0]: found a string, expected a number",
          SHAPES(POSITIONS, MASSES, TRANSLATIONS, STIFFNESS, "\"damping_matrix\": [[\"a\"]],"));

    FAULT("two nodes of its shapes are at the same place",
          SHAPES("\"positions\": [[1, 0, 0], [1, 0, 0]],\n", MASSES, TRANSLATIONS, STIFFNESS, ""));
    FAULT("the mass of a node is negative", SHAPES(POSITIONS, "\"masses\": [1, -1],\n", TRANSLATIONS, STIFFNESS, ""));
    FAULT("the modes have no mass of their own each",
          SHAPES(POSITIONS, "\"masses\": [0, 0],\n", TRANSLATIONS, STIFFNESS, ""));
    FAULT("the modes have no mass of their own each",
          SHAPES(POSITIONS, MASSES, "\"translations\": [[[0, 1, 0], [0, 2, 0]], [[0, 2, 0], [0, 4, 0]]],\n",
                 "\"stiffness_matrix\": [[1, 0], [0, 1]],\n", ""));
    FAULT("the modes have no mass of their own each",
          SHAPES(POSITIONS, MASSES, TRANSLATIONS, STIFFNESS, "\"mass_matrix\": [[-1]],"));
    FAULT("its stiffness matrix is not positive semidefinite",
          SHAPES(POSITIONS, MASSES, TRANSLATIONS, "\"stiffness_matrix\": [[-1]],\n", ""));
    FAULT("its damping matrix is not positive semidefinite",
          SHAPES(POSITIONS, MASSES, TRANSLATIONS, STIFFNESS, "\"damping_matrix\": [[-1]],"));
    FAULT("the inertia of a node is not positive semidefinite",
          SHAPES(POSITIONS, MASSES, TRANSLATIONS, STIFFNESS,
                 "\"inertias\": [[1, 0, 0, 1, 0, 1], [1, 2, 0, 1, 0, 1]],"));
    FAULT("a matrix of its shapes is not symmetric",
          SHAPES(POSITIONS, MASSES, "\"translations\": [[[0, 1, 0], [0, 2, 0]], [[0, 0, 1], [0, 0, 2]]],\n",
                 "\"stiffness_matrix\": [[1, 2], [3, 4]],\n", ""));
}

TEST(what_it_cannot_be_with)
{
    const struct {
        const char *text, *part;
    } cases[] = {
        {MODEL(BEAM("1", ""), ",\n\"collisions\": [{\"shape\": \"sphere\", \"radius\": 1}]", ""),
         "shapes that collide"},
        {MODEL(BEAM("1", ""), ",\n\"added_mass\": [1, 1, 1, 1, 1, 1]", ""), "added mass"},
        {MODEL(BEAM("1", ""), ",\n\"gravity_compensation\": 0.5", ""), "gravity compensation"},
        {MODEL(BEAM("1", ""), "",
               ",\n\"loops\": [{\"name\": \"l\", \"type\": \"spherical\", \"parent\": \"base\", \"child\": \"arm\","
               " \"child_origin\": {\"position\": [0.5, 0, 0]}}]"),
         "closed where it bends; expected that on a link fixed there"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        bad(__LINE__, PINION_ERR_UNSUPPORTED, 2, cases[i].part, cases[i].text);
    bad(__LINE__, PINION_ERR_MODEL, 1, "has the name of a mode of the elastic link 'arm'",
        "{\"pinion\": 1, \"links\": [{\"name\": \"base\"}, {\"name\": \"arm\", \"elastic\": {\"beam\": {\"length\": 1,"
        " \"mass_per_length\": 1, \"EI\": 1, \"modes\": 1}}}], \"joints\": [{\"name\": \"arm.mode2\","
        " \"type\": \"revolute\", \"parent\": \"base\", \"child\": \"arm\"}]}");
}

/* Everything that can be said of a beam, and of shapes. */
static const char *const whole[] = {
    MODEL("{\"beam\": {\"length\": 1.3, \"mass_per_length\": 0.7, \"EI\": [11, 13], \"GJ\": 7,"
          " \"polar_inertia_per_length\": 0.003, \"modes\": [2, 1, 1], \"boundary\": \"clamped-mass\","
          " \"tip\": {\"mass\": 0.3, \"inertia\": [0.01, 0.02, 0.03]}, \"load\": {\"mass\": 0.2, \"inertia\": 0.004}},"
          " \"origin\": {\"position\": [0.1, 0.2, 0.3], \"rpy\": [0.1, 0.2, 0.3]}, \"damping_ratio\": 0.02,"
          " \"initial\": {\"q\": [0.1, 0.02, -0.03, 0.04], \"v\": [1, 2, 3, 4]}}", "", ""),
    MODEL("{\"shapes\": {\"positions\": [[0.5, 0, 0], [1, 0.1, 0], [1.4, 0.2, 0.1]], \"masses\": [0.3, 0.2, 0.1],"
          " \"inertias\": [[0.01, 0, 0, 0.01, 0, 0.01], [0, 0, 0, 0, 0, 0], [0.02, 0.001, 0, 0.02, 0, 0.01]],"
          " \"translations\": [[[0, 0.2, 0], [0, 0.6, 0], [0, 1, 0]], [[0, 0, 0.3], [0, 0.1, 0.7], [0, 0, 1]]],"
          " \"rotations\": [[[0, 0, 0.5], [0, 0, 0.9], [0, 0, 1]], [[0, -0.5, 0], [0.1, -0.8, 0], [0, -1, 0]]],"
          " \"mass_matrix\": [[0.3, 0.01], [0.01, 0.33]], \"stiffness_matrix\": [[20, 1], [1, 30]],"
          " \"damping_matrix\": [[0.1, 0], [0, 0.2]]}, \"initial\": {\"v\": [0.1, 0.2]}}", "", "")};

/* All numbers of a description, to compare two. */
static void same_description(const pinion_elastic_info *a, const pinion_elastic_info *b)
{
    const pinion_elastic_def *x = &a->def, *y = &b->def;
    CHECK(memcmp(&x->origin, &y->origin, sizeof x->origin) == 0);
    CHECK(x->length == y->length && x->mass_per_length == y->mass_per_length && x->boundary == y->boundary);
    CHECK(memcmp(x->bending_stiffness, y->bending_stiffness, sizeof x->bending_stiffness) == 0);
    CHECK(x->torsion_stiffness == y->torsion_stiffness && x->polar_inertia == y->polar_inertia);
    CHECK(memcmp(x->modes, y->modes, sizeof x->modes) == 0 && x->damping_ratio == y->damping_ratio);
    CHECK(x->tip_mass == y->tip_mass && memcmp(x->tip_inertia, y->tip_inertia, sizeof x->tip_inertia) == 0);
    CHECK(x->load_mass == y->load_mass && memcmp(x->load_inertia, y->load_inertia, sizeof x->load_inertia) == 0);
    CHECK(x->node_count == y->node_count && x->mode_count == y->mode_count);
    const size_t n = (size_t)x->node_count, m = (size_t)a->modes;
    const double *const p[] = {x->position, x->mass, x->inertia, x->translation, x->rotation, x->mass_matrix,
                               x->stiffness_matrix, x->damping_matrix, x->initial_q, x->initial_v};
    const double *const q[] = {y->position, y->mass, y->inertia, y->translation, y->rotation, y->mass_matrix,
                               y->stiffness_matrix, y->damping_matrix, y->initial_q, y->initial_v};
    const size_t size[] = {3 * n, n, 6 * n, 3 * n * m, 3 * n * m, m * m, m * m, m * m, m, m};
    for (int i = 0; i < 10; i++) {
        CHECK(!p[i] == !q[i]);
        if (p[i] && q[i]) CHECK(memcmp(p[i], q[i], size[i] * sizeof(double)) == 0);
    }
    CHECK(memcmp(a->stiffness, b->stiffness, m * m * sizeof(double)) == 0);
    CHECK(memcmp(a->damping, b->damping, m * m * sizeof(double)) == 0);
    CHECK(memcmp(a->modal_mass, b->modal_mass, m * m * sizeof(double)) == 0);
}

TEST(written_and_read_again)
{
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        pinion_model *m = read_text(whole[i], &err);
        if (!m) CHECK_FAIL("%s", err.message);
        char *text = m ? pinion_save_string(m, PINION_FORMAT_JSON, &err) : NULL;
        pinion_model *again = text ? read_text(text, &err) : NULL;
        if (!again) CHECK_FAIL("%s", err.message);
        pinion_elastic_info a, b;
        if (again) {
            CHECK_STATUS(pinion_model_elastic(m, 0, &a), PINION_OK);
            CHECK_STATUS(pinion_model_elastic(again, 0, &b), PINION_OK);
            same_description(&a, &b);
            char *twice = pinion_save_string(again, PINION_FORMAT_JSON, &err);
            CHECK(twice && strcmp(text, twice) == 0);
            pinion_free(twice);
        }
        /* what has no such links says so */
        static const pinion_format others[] = {PINION_FORMAT_URDF, PINION_FORMAT_MJCF, PINION_FORMAT_SDF};
        for (size_t k = 0; m && k < sizeof others / sizeof *others; k++) {
            char *other = pinion_save_string(m, others[k], &err);
            CHECK(!other && strstr(err.message, "elastic"));
            pinion_free(other);
        }
        pinion_free(text);
        pinion_model_free(again);
        pinion_model_free(m);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(what_is_no_elastic_link);
    RUN(beams);
    RUN(shapes);
    RUN(what_it_cannot_be_with);
    RUN(written_and_read_again);
    return CHECK_END();
}
