/* Mechanisms, as model files. */
#ifndef PN_EQUATIONS_FIXTURES_H
#define PN_EQUATIONS_FIXTURES_H

#define LINK(name, mass, com) "{\"name\": \"" name "\", \"mass\": " mass ", \"com\": " com ", \"inertia\": "
#define BODY(name, mass, com) \
    LINK(name, mass, com) \
    "{\"xx\": 0.03, \"yy\": 0.05, \"zz\": 0.04, \"xy\": 0.002, \"xz\": -0.003, \"yz\": 0.001}}"
#define ROUND(name, mass, com) LINK(name, mass, com) "{\"xx\": 0.03, \"yy\": 0.05, \"zz\": 0.04}}"
#define JOINT(name, type, parent, child, axis, place) \
    "{\"name\": \"" name "\", \"type\": \"" type "\", \"parent\": \"" parent "\", \"child\": \"" child "\", " \
    "\"axis\": " axis ", \"origin\": {\"position\": " place "}"
#define MODEL(gravity, links, joints) \
    "{\"pinion\": 1, \"name\": \"mechanism\", \"gravity\": " gravity ", " \
    "\"links\": [{\"name\": \"base\"}, " links "], \"joints\": [" joints "]}"

#define DOWN_Y "[0, -9.81, 0]"
#define DOWN_Z "[0, 0, -9.81]"
#define ZERO "[0, 0, 0]"

/* revolute, prismatic along the arm */
#define RP_ARM MODEL(DOWN_Y, ROUND("arm", "1.5", "[0.3, 0, 0]") ", " ROUND("slider", "0.7", "[0.1, 0, 0]"), \
                     JOINT("turn", "continuous", "base", "arm", "[0, 0, 1]", ZERO) "}, " \
                     JOINT("slide", "prismatic", "arm", "slider", "[1, 0, 0]", "[0.2, 0, 0]") "}")
/* prismatic, then revolute, with full inertias */
#define PR_ARM MODEL(DOWN_Z, BODY("cart", "1", "[0.1, 0.2, 0.3]") ", " BODY("arm", "2", "[0.3, -0.1, 0.2]"), \
                     JOINT("slide", "prismatic", "base", "cart", "[0, 0, 1]", ZERO) "}, " \
                     JOINT("turn", "continuous", "cart", "arm", "[0, 1, 0]", "[0.2, 0.1, 0.05]") "}")
#define SPHERICAL_PENDULUM MODEL(DOWN_Z, "{\"name\": \"yoke\"}, " ROUND("bob", "1", "[0, 0, -0.5]"), \
                                 JOINT("azimuth", "continuous", "base", "yoke", "[0, 0, 1]", ZERO) "}, " \
                                 JOINT("swing", "continuous", "yoke", "bob", "[0, 1, 0]", ZERO) "}")
/* three revolute joints like a PUMA's, with rotors */
#define ELBOW_ARM MODEL(DOWN_Z, BODY("one", "3", "[0, 0.1, 0.2]") ", " BODY("two", "2", "[0.2, 0.01, 0.1]") ", " \
                        BODY("three", "1", "[0.15, 0.02, 0.03]"), \
                        JOINT("waist", "revolute", "base", "one", "[0, 0, 1]", "[0, 0, 0.4]") \
                        ", \"rotor\": {\"inertia\": 2e-4, \"gear\": 60}}, " \
                        JOINT("shoulder", "revolute", "one", "two", "[0, -1, 0]", "[0, 0.1, 0.3]") \
                        ", \"rotor\": {\"inertia\": 2e-4, \"gear\": 100}}, " \
                        JOINT("elbow", "revolute", "two", "three", "[0, -1, 0]", "[0.43, 0.02, 0]") "}")
/* axes at odd angles, and gravity along none of them */
#define SKEW_ARM MODEL("[1, -2, -9]", BODY("one", "3", "[0.1, 0.1, 0.2]") ", " BODY("two", "2", "[0.2, 0.01, 0.1]"), \
                       JOINT("first", "continuous", "base", "one", "[0.1, 0.2, 1]", "[0.3, 0, 0.4]") "}, " \
                       JOINT("second", "continuous", "one", "two", "[0.3, -1, 0.4]", "[0.2, 0.1, 0.3]") "}")
/* two arms on a turning column, and a third on the base */
#define TREE MODEL(DOWN_Z, ROUND("column", "3", "[0.1, 0, 0.2]") ", " ROUND("left", "1", "[0.2, 0, 0]") ", " \
                   ROUND("right", "1.2", "[0.25, 0, 0]") ", " ROUND("door", "4", "[0.5, 0, 0]"), \
                   JOINT("column_joint", "continuous", "base", "column", "[0, 0, 1]", ZERO) "}, " \
                   JOINT("left_joint", "continuous", "column", "left", "[0, 1, 0]", "[0.1, 0.3, 0.5]") "}, " \
                   JOINT("right_joint", "continuous", "column", "right", "[1, 0, 0]", "[-0.1, 0.2, 0.6]") "}, " \
                   JOINT("hinge", "continuous", "base", "door", "[0, 1, 0]", "[1, 2, 0]") "}")
/* two arms above each other on a column that tilts and turns */
#define SHELVES MODEL(DOWN_Z, "{\"name\": \"yoke\"}, " ROUND("column", "3", "[0.1, 0, 0.2]") ", " \
                      ROUND("low", "1", "[0.2, 0, 0]") ", " \
                      ROUND("high", "1.2", "[0.25, 0, 0]"), \
                      JOINT("tilt", "continuous", "base", "yoke", "[1, 0, 0]", ZERO) "}, " \
                      JOINT("column_joint", "continuous", "yoke", "column", "[0, 0, 1]", ZERO) "}, " \
                      JOINT("low_joint", "continuous", "column", "low", "[0, 1, 0]", "[0.1, 0, 0.5]") "}, " \
                      JOINT("high_joint", "continuous", "column", "high", "[0, 1, 0]", "[0.3, 0, 0.9]") "}")
/* two arms on a turning column, of which one has its axis at an odd angle */
#define LEANING_TREE MODEL(DOWN_Z, ROUND("column", "3", "[0.1, 0, 0.2]") ", " ROUND("left", "1", "[0.2, 0, 0]") ", " \
                           ROUND("right", "1.2", "[0.25, 0, 0]"), \
                           JOINT("column_joint", "continuous", "base", "column", "[0, 0, 1]", ZERO) "}, " \
                           JOINT("left_joint", "continuous", "column", "left", "[0, 1, 0]", "[0.1, 0.3, 0.5]") "}, " \
                           JOINT("right_joint", "continuous", "column", "right", "[1, 0.4, 0.3]", \
                                 "[-0.1, 0.2, 0.6]") "}")
/* a wrist on a slider that does not begin at the axis of the arm */
#define SLIDING_WRIST MODEL(DOWN_Y, ROUND("arm", "1.5", "[0.3, 0, 0]") ", " ROUND("slider", "0.7", "[0.1, 0, 0]") ", " \
                            ROUND("hand", "0.4", "[0.1, 0, 0]"), \
                            JOINT("turn", "continuous", "base", "arm", "[0, 0, 1]", ZERO) "}, " \
                            JOINT("slide", "prismatic", "arm", "slider", "[1, 0, 0]", "[0.2, 0, 0]") "}, " \
                            JOINT("wrist", "continuous", "slider", "hand", "[0, 1, 0]", "[0.3, 0, 0]") "}")
#define SCREW MODEL(DOWN_Z, ROUND("nut", "2", "[0.1, 0, 0]") ", " ROUND("arm", "1", "[0.2, 0, 0]"), \
                    JOINT("screw", "helical", "base", "nut", "[0, 0, 1]", ZERO) ", \"pitch\": 0.02}, " \
                    JOINT("turn", "continuous", "nut", "arm", "[1, 0, 0]", "[0.3, 0, 0]") "}")
#define UNIVERSAL MODEL(DOWN_Z, ROUND("shaft", "2", "[0, 0, -0.4]") ", " ROUND("sleeve", "1", "[0, 0, 0.2]"), \
                        "{\"name\": \"cross\", \"type\": \"universal\", \"parent\": \"base\", \"child\": \"shaft\"}, " \
                        JOINT("sleeve_joint", "cylindrical", "shaft", "sleeve", "[0, 0, 1]", "[0.1, 0, 0]") "}")
/* a gripper whose fingers go apart, and a wheel that turns with one of them */
#define FOLLOWERS MODEL(DOWN_Z, ROUND("hand", "1", "[0.1, 0, 0]") ", " ROUND("left", "0.2", "[0.05, 0, 0]") ", " \
                        ROUND("right", "0.3", "[0.05, 0, 0]") ", " ROUND("lever", "0.4", "[0.1, 0, 0]"), \
                        JOINT("wrist", "continuous", "base", "hand", "[0, 1, 0]", ZERO) "}, " \
                        JOINT("left_joint", "prismatic", "hand", "left", "[0, 0, 1]", "[0.2, 0, 0]") "}, " \
                        JOINT("right_joint", "prismatic", "hand", "right", "[0, 0, 1]", "[0.2, 0.02, 0]") \
                        ", \"mimic\": {\"joint\": \"left_joint\", \"multiplier\": -1.5, \"offset\": 0.1}}, " \
                        JOINT("lever_joint", "continuous", "hand", "lever", "[0, 1, 0]", "[0.1, 0, 0.1]") \
                        ", \"mimic\": {\"joint\": \"wrist\", \"multiplier\": -2, \"offset\": 0.3}}")

#define SPHERICAL_JOINT MODEL(DOWN_Z, ROUND("bob", "1", "[0, 0, -0.5]"), \
                              "{\"name\": \"ball\", \"type\": \"spherical\", " \
                              "\"parent\": \"base\", \"child\": \"bob\"}")
/* a joint that turns half as far as another */
#define HALF_FOLLOWER MODEL(DOWN_Z, ROUND("one", "1", "[0.2, 0, 0]") ", " ROUND("two", "1", "[0.2, 0, 0]"), \
                            JOINT("leader", "continuous", "base", "one", "[0, 0, 1]", ZERO) "}, " \
                            JOINT("follower", "continuous", "base", "two", "[0, 0, 1]", ZERO) \
                            ", \"mimic\": {\"joint\": \"leader\", \"multiplier\": 0.5}}")
#define CLOSED_LOOP MODEL(DOWN_Z, ROUND("crank", "1", "[0.2, 0, 0]") ", " ROUND("rocker", "1", "[0.2, 0, 0]"), \
                          JOINT("a", "continuous", "base", "crank", "[0, 0, 1]", ZERO) "}, " \
                          JOINT("b", "continuous", "base", "rocker", "[0, 0, 1]", "[1, 0, 0]") \
                          "}], \"loops\": [{\"name\": \"pin\", \"type\": \"distance\", \"parent\": \"crank\", " \
                          "\"child\": \"rocker\", \"length\": 1}")
/* the second axis is turned by 1.5708, which files write for a right angle */
#define ROUNDED_ANGLE MODEL(DOWN_Z, ROUND("one", "1", "[0.2, 0, 0]") ", " ROUND("two", "1", "[0.2, 0, 0]"), \
                            JOINT("first", "continuous", "base", "one", "[0, 0, 1]", ZERO) "}, " \
                            "{\"name\": \"second\", \"type\": \"continuous\", \"parent\": \"one\", " \
                            "\"child\": \"two\", \"axis\": [0, 0, 1], " \
                            "\"origin\": {\"position\": [0.5, 0, 0], \"rpy\": [1.5708, 0, 0]}}")

#endif
