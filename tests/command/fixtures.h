/* Small models whose answers are known in closed form. */
#ifndef PN_FIXTURES_H
#define PN_FIXTURES_H

/* A pendulum: 2 kg at 0.5 m below a hinge about y, 0.2 kg m^2 about its centre of mass, so that
 *     tau = 0.7 a + 9.81 sin q - (n_y - f_x), with n and f on the tool, 1 m below the hinge. */
#define PENDULUM                                                                                             \
    "<robot name=\"pendulum\">\n"                                                                            \
    "  <link name=\"base\"><inertial><mass value=\"3\"/>\n"                                                  \
    "    <inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>\n"         \
    "  <link name=\"arm\"><inertial><origin xyz=\"0 0 -0.5\"/><mass value=\"2\"/>\n"                         \
    "    <inertia ixx=\"0.1\" iyy=\"0.2\" izz=\"0.15\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>\n"  \
    "  <link name=\"tool\"/>\n"                                                                              \
    "  <joint name=\"hinge\" type=\"revolute\"><parent link=\"base\"/><child link=\"arm\"/>\n"               \
    "    <axis xyz=\"0 1 0\"/><limit lower=\"-1\" upper=\"2\" effort=\"10\" velocity=\"3\"/>\n"              \
    "    <dynamics damping=\"0.3\" friction=\"0.4\"/></joint>\n"                                             \
    "  <joint name=\"mount\" type=\"fixed\"><parent link=\"arm\"/><child link=\"tool\"/>\n"                  \
    "    <origin xyz=\"0 0 -1\"/></joint>\n"                                                                 \
    "</robot>\n"

/* A slider of 2 kg along z with a spring of 100 N/m relaxed at 0.1 m, and another of 1 kg that follows it at
 * half its speed. */
#define SLIDERS                                                                                              \
    "{\"pinion\": 1, \"name\": \"sliders\",\n"                                                               \
    " \"links\": [{\"name\": \"rail\"}, {\"name\": \"one\", \"mass\": 2, \"inertia\": {\"xx\": 1, "          \
    "\"yy\": 1, \"zz\": 1}},\n"                                                                              \
    "  {\"name\": \"two\", \"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}],\n"                 \
    " \"joints\": [{\"name\": \"lead\", \"type\": \"prismatic\",\n"                                        \
    "   \"parent\": \"rail\", \"child\": \"one\",\n"                                                       \
    "   \"spring\": {\"stiffness\": 100, \"rest\": 0.1}},\n"                                                 \
    "  {\"name\": \"follow\", \"type\": \"prismatic\", \"parent\": \"rail\", \"child\": \"two\",\n"          \
    "   \"mimic\": {\"joint\": \"lead\", \"multiplier\": 0.5, \"offset\": 0.25}}]}\n"

/* A hinge whose link has no inertia at all: forward dynamics is singular. */
#define MASSLESS                                                                                             \
    "{\"pinion\": 1, \"name\": \"massless\", \"links\": [{\"name\": \"base\"}, {\"name\": \"ghost\"}],\n"    \
    " \"joints\": [{\"name\": \"hinge\", \"type\": \"continuous\", \"parent\": \"base\", \"child\": "        \
    "\"ghost\"}]}\n"

/* Two hinges whose tips a third one pins together. */
#define LOOP                                                                                                 \
    "{\"pinion\": 1, \"name\": \"loop\", \"links\": [{\"name\": \"base\"},\n"                                \
    "  {\"name\": \"left\", \"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}},\n"                 \
    "  {\"name\": \"right\", \"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}],\n"               \
    " \"joints\": [{\"name\": \"a\", \"type\": \"revolute\", \"parent\": \"base\", \"child\": \"left\"},\n"  \
    "  {\"name\": \"b\", \"type\": \"revolute\", \"parent\": \"base\", \"child\": \"right\",\n"              \
    "   \"origin\": {\"position\": [2, 0, 0]}}],\n"                                                          \
    " \"loops\": [{\"name\": \"pin\", \"type\": \"revolute\", \"parent\": \"left\", \"child\": \"right\",\n" \
    "   \"origin\": {\"position\": [1, 0, 0]}, \"child_origin\": {\"position\": [-1, 0, 0]}}]}\n"

/* Names that a list, a terminal or a JSON string could trip over: a comma, a backslash, colons, quotes,
 * letters beyond ASCII, a right-to-left override and a zero-width space. */
#define HOSTILE                                                                                              \
    "{\"pinion\": 1, \"name\": \"<b>\\\"& %s %n\\u202e\", \"links\": [{\"name\": \"a,b\"},\n"                \
    "  {\"name\": \"c:d:\\\"e\\\\f\", \"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}},\n"       \
    "  {\"name\": \"\\u00fc\\u4e2d\\u200b\", \"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": "      \
    "1}}],\n"                                                                                                \
    " \"joints\": [{\"name\": \"--root=free\", \"type\": \"revolute\", \"parent\": \"a,b\", \"child\": "     \
    "\"c:d:\\\"e\\\\f\"},\n"                                                                                 \
    "  {\"name\": \"$(reboot)\", \"type\": \"revolute\", \"parent\": \"c:d:\\\"e\\\\f\", \"child\": "        \
    "\"\\u00fc\\u4e2d\\u200b\"}]}\n"

#endif
