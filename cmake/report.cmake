# The page of `pinion report`, bundled from report/ with npm's packages and carried inside the command.
#
# Gives pinion_report_sources, to be compiled into the command: empty in a build without the page, whose command says
# so when it is asked for one. Packages are fetched by the build, not by CMake, and once for all build folders below
# build/: they share build/report.

find_program(PINION_NODE NAMES node nodejs)
find_program(PINION_NPM npm)
mark_as_advanced(PINION_NODE PINION_NPM)

set(pinion_report_default OFF)
if(PINION_NODE AND PINION_NPM AND PROJECT_IS_TOP_LEVEL)
    execute_process(COMMAND ${PINION_NODE} --version OUTPUT_VARIABLE pinion_node_version OUTPUT_STRIP_TRAILING_WHITESPACE
        ERROR_QUIET)
    string(REGEX REPLACE "^v" "" pinion_node_version "${pinion_node_version}")
    if(pinion_node_version VERSION_GREATER_EQUAL 18)
        set(pinion_report_default ON)
    else()
        message(STATUS "no report page: it needs node 18 or later, this is '${pinion_node_version}'")
    endif()
elseif(PROJECT_IS_TOP_LEVEL)
    message(STATUS "no report page: node or npm was not found")
endif()
option(PINION_REPORT "The page of pinion report inside the command: needs node, npm and their network once"
    ${pinion_report_default})

set(pinion_report_sources)
if(PINION_REPORT)
    if(NOT PINION_NODE OR NOT PINION_NPM)
        message(FATAL_ERROR "PINION_REPORT needs node and npm; without them set -DPINION_REPORT=OFF")
    endif()

    # build folders of one checkout share what is bundled
    set(pinion_report_cache ${PROJECT_BINARY_DIR}/report)
    string(FIND "${PROJECT_BINARY_DIR}/" "${PROJECT_SOURCE_DIR}/build/" pinion_report_below)
    if(pinion_report_below EQUAL 0)
        set(pinion_report_cache ${PROJECT_SOURCE_DIR}/build/report)
    endif()

    file(GLOB pinion_report_inputs CONFIGURE_DEPENDS report/src/* report/*.json report/*.js report/*.html report/.npmrc)
    set(pinion_report_page ${PROJECT_BINARY_DIR}/report_page.c)
    add_custom_command(OUTPUT ${pinion_report_page}
        COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR}/report -DCACHE=${pinion_report_cache}
            -DOUTPUT=${pinion_report_page} -DNODE=${PINION_NODE} -DNPM=${PINION_NPM}
            -P ${PROJECT_SOURCE_DIR}/cmake/report_build.cmake
        DEPENDS ${pinion_report_inputs} ${PROJECT_SOURCE_DIR}/cmake/report_build.cmake
        COMMENT "Bundling the report page"
        VERBATIM)

    # compiled apart, so that the tests link it too
    add_library(pinion_report_page OBJECT ${pinion_report_page})
    set(pinion_report_sources $<TARGET_OBJECTS:pinion_report_page>)
    set_property(SOURCE cli/report/document_write.c APPEND PROPERTY COMPILE_DEFINITIONS PINION_REPORT=1)
endif()
