# Writes which commit a build is of, for `pinion bench`: called at every build, and writes only what has changed. Outside
# of git, or where the sources lie within another project's repository, it is what the release says, if it is one.
#   cmake -DSOURCE=folder -DOUTPUT=file.c -P commit.cmake

set(commit "")
find_program(git git)
if(git)
    execute_process(COMMAND ${git} rev-parse --show-toplevel WORKING_DIRECTORY ${SOURCE}
        OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    file(REAL_PATH "${SOURCE}" source)
    if(top)
        file(REAL_PATH "${top}" top)
    endif()
    if(top STREQUAL source)
        execute_process(
            COMMAND ${CMAKE_COMMAND} -E env GIT_OPTIONAL_LOCKS=0
                ${git} describe --always --dirty --abbrev=12 --exclude=*
            WORKING_DIRECTORY ${SOURCE}
            OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    endif()
endif()

# `git archive` puts the commit into this file (.gitattributes)
if(commit STREQUAL "" AND EXISTS ${SOURCE}/cmake/commit.txt)
    file(STRINGS ${SOURCE}/cmake/commit.txt archived REGEX "^[0-9a-f]+$")
    if(archived)
        string(SUBSTRING "${archived}" 0 12 commit)
    endif()
endif()

set(text "extern const char pn_cli_commit[];\nconst char pn_cli_commit[] = \"${commit}\";\n")
set(old "")
if(EXISTS ${OUTPUT})
    file(READ ${OUTPUT} old)
endif()
if(NOT text STREQUAL old)
    file(WRITE ${OUTPUT} "${text}")
endif()
