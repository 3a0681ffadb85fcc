/* Models in text for the tests of loops, stops and friction of joints. */
#ifndef PN_TEST_CONTACT_JOINTS_H
#define PN_TEST_CONTACT_JOINTS_H

/* a mass of 2 kg on a rail along an axis, in text between others */
#define SLIDER(axis, more)                                                                                           \
    "{\"pinion\": 1, \"name\": \"slider\", \"gravity\": [0, 0, -10], \"links\": [{\"name\": \"rail\"}, "              \
    "{\"name\": \"block\", \"mass\": 2, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}], \"joints\": [{\"name\": "    \
    "\"j\", \"type\": \"prismatic\", \"parent\": \"rail\", \"child\": \"block\", \"axis\": " axis ", " more "}]}"

/* A parallelogram on a foot that stands on the ground: two cranks of 0.3 m with 1 kg, a coupler of 2 kg on them, a foot
 * of 4 kg. Leaning by the angle it has 9 sin(angle) N m to carry. */
#define CRANK(name, x, more)                                                                                         \
    "{\"name\": \"" name "\", \"type\": \"continuous\", \"parent\": \"foot\", \"child\": \"" name                     \
    "\", \"axis\": [0, 1, 0], \"origin\": {\"position\": [" x ", 0, 0.05]}" more "}"
#define BAR(name, mass, com)                                                                                         \
    "{\"name\": \"" name "\", \"mass\": " mass ", \"com\": " com                                                      \
    ", \"inertia\": {\"xx\": 0.01, \"yy\": 0.01, \"zz\": 0.01}}"
#define PORTAL(friction)                                                                                             \
    "{\"pinion\": 1, \"name\": \"portal\", \"gravity\": [0, 0, -10], \"links\": [{\"name\": \"world\"}, {\"name\": "   \
    "\"foot\", \"mass\": 4, \"inertia\": {\"xx\": 0.1, \"yy\": 0.1, \"zz\": 0.1}, \"collisions\": [{\"shape\": "       \
    "\"box\", \"size\": [0.8, 0.4, 0.1]}]}, " BAR("left", "1", "[0, 0, 0.15]") ", "                                   \
    BAR("right", "1", "[0, 0, 0.15]") ", " BAR("coupler", "2", "[0.2, 0, 0]") "], \"joints\": [{\"name\": \"root\", "  \
    "\"type\": \"free\", \"parent\": \"world\", \"child\": \"foot\"}, " CRANK("left", "-0.2", friction) ", "           \
    CRANK("right", "0.2", "") ", {\"name\": \"coupler\", \"type\": \"continuous\", \"parent\": \"left\", \"child\": "  \
    "\"coupler\", \"axis\": [0, 1, 0], \"origin\": {\"position\": [0, 0, 0.3]}}], \"loops\": [{\"name\": \"pin\", "    \
    "\"type\": \"revolute\", \"parent\": \"coupler\", \"child\": \"right\", \"axis\": [0, 1, 0], \"origin\": "         \
    "{\"position\": [0.4, 0, 0]}, \"child_origin\": {\"position\": [0, 0, 0.3]}}]}"

#endif
