/* The links of a crank-rocker that closes at q = 0; its joints and its loop follow. */
#ifndef PN_TEST_COMMAND_FOUR_BAR_H
#define PN_TEST_COMMAND_FOUR_BAR_H

#define FOUR_BAR_LINKS \
    "{\"pinion\": 1, \"name\": \"four-bar\", \"gravity\": [0, -9.81, 0], \"links\": [{\"name\": \"ground\"},\n" \
    " {\"name\": \"crank\", \"mass\": 0.5, \"com\": [0, 0.15, 0],\n" \
    "  \"inertia\": {\"xx\": 0.004, \"yy\": 0.001, \"zz\": 0.004}},\n" \
    " {\"name\": \"coupler\", \"mass\": 1, \"com\": [0.4, 0.3, 0],\n" \
    "  \"inertia\": {\"xx\": 0.04, \"yy\": 0.06, \"zz\": 0.09}},\n" \
    " {\"name\": \"rocker\", \"mass\": 0.8, \"com\": [0, 0.45, 0],\n" \
    "  \"inertia\": {\"xx\": 0.055, \"yy\": 0.001, \"zz\": 0.055}}],\n"

#endif
