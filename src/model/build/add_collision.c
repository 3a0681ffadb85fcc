/* What a builder is told of collisions: checked one definition at a time, and kept. */
#include <math.h>
#include <string.h>

#include "model/build/describe.h"

pinion_collision_def pinion_collision_def_default(void)
{
    pinion_collision_def def;
    memset(&def, 0, sizeof def);
    def.pose = pinion_pose_identity();
    for (int i = 0; i < 3; i++) def.size[i] = 1;
    for (int i = 0; i < 3; i++) def.friction[i] = -1;
    def.dimension = 3;
    def.category = def.mask = 1;
    def.cookie = PN_COOKIE_COLLISION;
    return def;
}

pinion_collision_pair_def pinion_collision_pair_def_default(void)
{
    pinion_collision_pair_def def;
    memset(&def, 0, sizeof def);
    for (int i = 0; i < 3; i++) def.friction[i] = -1;
    def.margin = -1;
    def.cookie = PN_COOKIE_PAIR;
    return def;
}

/* ---------------------------------------------------------------------------------------------
 * Checks: what is wrong, as the end of a sentence; NULL when nothing is */

/* How many sizes a shape has, and how many of them, the first ones, are above 0. */
static const int sizes[PINION_SHAPE_COUNT] = {[PINION_SHAPE_BOX] = 3,      [PINION_SHAPE_SPHERE] = 1,
                                              [PINION_SHAPE_CYLINDER] = 2, [PINION_SHAPE_CAPSULE] = 2,
                                              [PINION_SHAPE_MESH] = 3,     [PINION_SHAPE_ELLIPSOID] = 3,
                                              [PINION_SHAPE_CONE] = 2,     [PINION_SHAPE_PLANE] = 2,
                                              [PINION_SHAPE_HEIGHT_FIELD] = 3};

static const char *size_fault(pinion_shape shape, const double size[3])
{
    const int above = shape == PINION_SHAPE_PLANE || shape == PINION_SHAPE_MESH ? 0
                      : shape == PINION_SHAPE_HEIGHT_FIELD                      ? 2
                                                                                : sizes[shape];
    if (!pn_finite(size, sizes[shape])) return "has a size that is not finite";
    for (int i = 0; i < sizes[shape]; i++) {
        if (shape == PINION_SHAPE_MESH && size[i] == 0) return "has a scale of 0";
        if (shape != PINION_SHAPE_MESH && size[i] < 0) return "has a size below 0; expected one above 0";
        if (i < above && size[i] == 0) return "has a size that is not above 0";
    }
    return NULL;
}

/* Those of a grid or of points, and none for other shapes. A mesh in a file may come with its points or without. */
static const char *data_fault(pinion_collision_def *def)
{
    const int grid = def->shape == PINION_SHAPE_HEIGHT_FIELD,
              points = def->shape == PINION_SHAPE_MESH && (!def->mesh || !*def->mesh || def->data);
    if (!grid && !points) {
        def->rows = def->columns = 0;
        def->data = NULL;
        return NULL;
    }
    if (!def->data) return grid ? "is a height field without heights" : "is a mesh without a file and without points";
    if (grid ? def->rows < 2 || def->columns < 2 : def->rows < 4 || def->columns != 3)
        return grid ? "has a grid that is too small; expected 2 rows and 2 columns or more"
                    : "has too few points; expected 4 or more, of 3 numbers each";
    if ((double)def->rows * def->columns > PN_MAX_DATA) return "has too many numbers; expected 16777216 at most";
    return pn_finite(def->data, def->rows * def->columns) ? NULL : "has a number that is not finite";
}

static const char *touch_fault(const double friction[3], int dimension)
{
    if (!pn_finite(friction, 3)) return "has friction that is not three finite numbers";
    if (dimension != 1 && dimension != 3 && dimension != 4 && dimension != 6)
        return "has a dimension that is none; expected 1, 3, 4 or 6";
    return NULL;
}

static const char *collision_fault(pinion_collision_def *def)
{
    const char *fault = size_fault(def->shape, def->size);
    if (!fault) fault = data_fault(def);
    if (!fault) fault = touch_fault(def->friction, def->dimension);
    if (fault) return fault;
    if (!(def->restitution >= 0 && def->restitution <= 1)) return "has a restitution that is not from 0 to 1";
    if (!(def->margin >= 0 && isfinite(def->margin))) return "has a margin that is not a finite number of at least 0";
    if (def->group < 0) return "has a group below 0";
    return NULL;
}

static int name_fits(const char *name)
{
    return strlen(name) <= PN_MAX_NAME && pn_is_clean_text(name);
}

static pinion_status check_collision(const pinion_builder *b, pinion_collision_def *def, pinion_error *err)
{
    pinion_status status = pn_check_cookie(b, "collision", def->cookie, PN_COOKIE_COLLISION, err);
    if (status != PINION_OK) return status;
    if (!def->link || !*def->link || strlen(def->link) > PN_MAX_NAME)
        return pn_fail(b, err, PINION_ERR_MODEL, def->line, "a collision is on link %s; expected the name of a link",
                       pn_quote(def->link).text);
    const pn_quoted link = pn_quote(def->link);
    if ((int)def->shape < 0 || def->shape >= PINION_SHAPE_COUNT)
        return pn_fail(b, err, PINION_ERR_MODEL, def->line,
                       "a collision of link %s has shape %d, which is none; expected 0 to %d", link.text,
                       (int)def->shape, PINION_SHAPE_COUNT - 1);
    if (def->name && !name_fits(def->name))
        return pn_fail(b, err, PINION_ERR_MODEL, def->line,
                       "a collision of link %s is called %s; expected at most %d bytes of UTF-8 without control "
                       "characters",
                       link.text, pn_quote(def->name).text, PN_MAX_NAME);
    status = pn_check_pose(b, "a collision of link", def->link, "its pose", &def->pose, def->line, err);
    if (status != PINION_OK) return status;
    if (def->shape != PINION_SHAPE_MESH) def->mesh = NULL;
    const char *fault = collision_fault(def);
    if (fault) return pn_fail(b, err, PINION_ERR_MODEL, def->line, "a collision of link %s %s", link.text, fault);
    if (!def->mesh || !*def->mesh) def->mesh = NULL;
    return def->mesh ? pn_check_mesh(b, "a collision", def->link, def->mesh, def->line, err) : PINION_OK;
}

/* ---------------------------------------------------------------------------------------------
 * Adding */

static pinion_status missing(const pinion_builder *b, pinion_error *err)
{
    return pn_fail(b, err, PINION_ERR_ARGUMENT, 0, "an argument is NULL; expected a builder and a definition");
}

pinion_status pinion_builder_add_collision(pinion_builder *b, const pinion_collision_def *given, pinion_error *err)
{
    if (!b || !given) return missing(b, err);
    pinion_collision_def def = *given;
    pinion_status status = check_collision(b, &def, err);
    const size_t numbers = status == PINION_OK ? (size_t)def.rows * (size_t)def.columns : 0;
    const char *strings[3] = {def.link, def.name, def.mesh};
    if (status == PINION_OK) status = pn_builder_room(b, &b->collisions, "collision", strings, 3, def.line, err);
    if (status != PINION_OK) return status;
    if (b->data.count + numbers > PN_MAX_DATA)
        return pn_fail(b, err, PINION_ERR_MODEL, def.line,
                       "the collisions have too many heights and points; expected at most %d numbers", PN_MAX_DATA);
    if (!pn_list_reserve(&b->data, numbers)) return pn_fail_memory(b, err);

    pn_described_collision *collision = pn_list_push(&b->collisions);
    memset(collision, 0, sizeof *collision);
    collision->link = pn_builder_keep(b, def.link);
    collision->name = pn_builder_keep(b, def.name);
    collision->mesh = pn_builder_keep(b, def.mesh);
    collision->data = b->data.count;
    collision->line = def.line;
    if (numbers) memcpy(PN_ITEM(&b->data, double, b->data.count), def.data, numbers * sizeof(double));
    b->data.count += numbers;
    pinion_collision_info *info = &collision->info;
    info->shape = def.shape;
    info->pose = def.pose;
    info->rows = def.rows;
    info->columns = def.columns;
    const int plain = def.shape == PINION_SHAPE_MESH && !def.mesh; /* points are where they are */
    for (int i = 0; i < sizes[def.shape]; i++) info->size[i] = plain ? 1 : def.size[i];
    for (int i = 0; i < 3; i++) info->friction[i] = def.friction[i] < 0 ? -1 : def.friction[i];
    info->restitution = def.restitution;
    info->margin = def.margin;
    info->dimension = def.dimension;
    info->category = def.category;
    info->mask = def.mask;
    info->group = def.group;
    return PINION_OK;
}

/* Two names into a list; NULL after an error. */
static pn_described_pair *push_pair(pinion_builder *b, pn_list *list, const char *what, const char *first,
                                    const char *second, int line, pinion_error *err)
{
    const char *strings[2] = {first, second};
    for (int i = 0; i < 2; i++) {
        if (strings[i] && *strings[i] && strlen(strings[i]) <= PN_MAX_NAME) continue;
        pn_fail(b, err, PINION_ERR_MODEL, line, "the %s names %s; expected two names", what, pn_quote(strings[i]).text);
        return NULL;
    }
    if (pn_builder_room(b, list, what, strings, 2, line, err) != PINION_OK) return NULL;
    pn_described_pair *pair = pn_list_push(list);
    memset(pair, 0, sizeof *pair);
    pair->first = pn_builder_keep(b, first);
    pair->second = pn_builder_keep(b, second);
    pair->line = line;
    return pair;
}

pinion_status pinion_builder_add_collision_pair(pinion_builder *b, const pinion_collision_pair_def *def,
                                                pinion_error *err)
{
    pinion_error own;
    if (!err) err = &own;
    if (!b || !def) return missing(b, err);
    const pinion_status status = pn_check_cookie(b, "collision_pair", def->cookie, PN_COOKIE_PAIR, err);
    if (status != PINION_OK) return status;
    const char *fault = touch_fault(def->friction, def->dimension ? def->dimension : 3);
    if (!fault && !isfinite(def->margin)) fault = "has a margin that is not a finite number";
    if (fault) return pn_fail(b, err, PINION_ERR_MODEL, def->line, "the collision pair %s", fault);
    pn_described_pair *pair = push_pair(b, &b->pairs, "collision pair", def->first, def->second, def->line, err);
    if (!pair) return err->status;
    for (int i = 0; i < 3; i++) pair->info.friction[i] = def->friction[i] < 0 ? -1 : def->friction[i];
    pair->info.margin = def->margin < 0 ? -1 : def->margin;
    pair->info.dimension = def->dimension;
    return PINION_OK;
}

pinion_status pinion_builder_add_exclusion(pinion_builder *b, const char *first, const char *second, int line,
                                           pinion_error *err)
{
    pinion_error own;
    if (!err) err = &own;
    if (!b) return missing(b, err);
    return push_pair(b, &b->exclusions, "exclusion", first, second, line, err) ? PINION_OK : err->status;
}
