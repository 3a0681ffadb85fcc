# Sources of this tree as text inside the library: generated code carries parts of them.
#
# Gives pinion_embedded, a C file that the build makes, with pn_embedded() of src/codegen/codegen_steps.h in it.

set(pinion_embedded ${PROJECT_BINARY_DIR}/embedded.c)

# what is embedded is made of these; any of them that changes makes it again
file(GLOB_RECURSE pinion_embedded_inputs CONFIGURE_DEPENDS
    src/real/*.h src/real/*.inc src/spatial/*.inc src/kernel/*.inc src/kernel/*.h src/model/constants.inc src/model/tree.h)

add_custom_command(OUTPUT ${pinion_embedded}
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR}/src -DOUTPUT=${pinion_embedded}
        -P ${PROJECT_SOURCE_DIR}/cmake/embed_build.cmake
    DEPENDS ${pinion_embedded_inputs} ${PROJECT_SOURCE_DIR}/cmake/embed_build.cmake
    COMMENT "Embedding sources for generated code"
    VERBATIM)
