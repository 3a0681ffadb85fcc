/* CMakeLists.txt: the library, the self-test, and nothing that a project would have to change to add the
 * folder. */
#include "codegen/emit/emit_text.h"

pinion_status pn_emit_cmake(const pinion_model *m, pinion_generated *g)
{
    (void)m;
    pn_text t = {0};
    const char *name = g->name;
    pn_text_add(&t,
                "# The dynamics of one robot: a library without dependencies but the C library's. Generated "
                "by Pinion %s.\n"
                "#\n"
                "#     cmake -S . -B build && cmake --build build && ctest --test-dir build\n"
                "#\n"
                "# or, from a project of your own: add_subdirectory(FOLDER), target_link_libraries(yours "
                "PRIVATE %s)\n"
                "cmake_minimum_required(VERSION 3.13)\n"
                "project(%s LANGUAGES C)\n\n",
                PINION_VERSION, name, name);
    pn_text_add(&t,
                "if(CMAKE_SOURCE_DIR STREQUAL CMAKE_CURRENT_SOURCE_DIR)\n"
                "    set(%s_alone ON)\n"
                "else()\n"
                "    set(%s_alone OFF)\n"
                "endif()\n"
                "option(%s_TEST \"Build the self-test of %s\" ${%s_alone})\n\n"
                "if(%s_alone AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)\n"
                "    set(CMAKE_BUILD_TYPE Release CACHE STRING \"Debug, Release, RelWithDebInfo or "
                "MinSizeRel\" FORCE)\n"
                "endif()\n\n",
                name, name, name, name, name, name);
    pn_text_add(&t,
                "add_library(%s STATIC %s.c %s.h)\n"
                "target_include_directories(%s PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})\n"
                "target_compile_features(%s PRIVATE c_std_11)\n"
                "set_target_properties(%s PROPERTIES C_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)\n"
                "if(CMAKE_C_COMPILER_ID MATCHES \"GNU|Clang\")\n"
                "    # nobody reads errno after a square root; a product and a sum may be one instruction\n"
                "    target_compile_options(%s PRIVATE -Wall -Wextra -fno-math-errno -fno-trapping-math "
                "-ffp-contract=fast)\n"
                "endif()\n"
                "if(NOT MSVC)\n"
                "    target_link_libraries(%s PUBLIC m)\n"
                "endif()\n\n",
                name, name, name, name, name, name, name, name);
    pn_text_add(&t,
                "if(%s_TEST)\n"
                "    enable_testing()\n"
                "    add_executable(test_%s test_%s.c)\n"
                "    target_compile_features(test_%s PRIVATE c_std_11)\n"
                "    set_target_properties(test_%s PROPERTIES C_EXTENSIONS OFF)\n"
                "    target_link_libraries(test_%s PRIVATE %s)\n"
                "    add_test(NAME %s COMMAND test_%s)\n"
                "endif()\n",
                name, name, name, name, name, name, name, name, name);
    return pn_add_file(g, "CMakeLists.txt", &t);
}
