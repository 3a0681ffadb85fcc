# Bundles the report page: cmake -DSOURCE=... -DCACHE=... -DOUTPUT=... -DNODE=... -DNPM=... -P report_build.cmake
#
# Works in CACHE, where packages and the finished page stay for the next build folder; a lock keeps two builds apart.
cmake_minimum_required(VERSION 3.22)

file(MAKE_DIRECTORY ${CACHE})
file(LOCK ${CACHE} DIRECTORY GUARD PROCESS TIMEOUT 900 RESULT_VARIABLE locked)
if(NOT locked STREQUAL "0")
    message(FATAL_ERROR "the report page: ${CACHE} is locked by another build (${locked})")
endif()

# what the page is made of, by content
file(GLOB tops ${SOURCE}/*.json ${SOURCE}/*.js ${SOURCE}/*.html ${SOURCE}/.npmrc)
file(GLOB sources ${SOURCE}/src/*)
set(sums)
foreach(input IN LISTS tops sources)
    file(SHA256 ${input} sum)
    file(RELATIVE_PATH name ${SOURCE} ${input})
    string(APPEND sums "${sum} ${name}\n")
endforeach()

function(unless_made stamp sums variable)
    set(${variable} NO PARENT_SCOPE)
    if(EXISTS ${stamp})
        file(READ ${stamp} old)
        if(old STREQUAL sums)
            set(${variable} YES PARENT_SCOPE)
        endif()
    endif()
endfunction()

unless_made(${CACHE}/page.stamp "${sums}" made)
if(NOT made OR NOT EXISTS ${CACHE}/page.c)
    file(REMOVE ${CACHE}/page.stamp)
    file(REMOVE_RECURSE ${CACHE}/bundle/src)
    file(COPY ${tops} DESTINATION ${CACHE}/bundle)
    file(COPY ${sources} DESTINATION ${CACHE}/bundle/src)

    # packages, only when they have changed
    file(READ ${SOURCE}/package-lock.json packages)
    file(READ ${SOURCE}/package.json package)
    unless_made(${CACHE}/packages.stamp "${package}${packages}" fetched)
    if(NOT fetched OR NOT IS_DIRECTORY ${CACHE}/bundle/node_modules)
        file(REMOVE ${CACHE}/packages.stamp)
        execute_process(COMMAND ${NPM} ci --loglevel=error --prefer-offline
            WORKING_DIRECTORY ${CACHE}/bundle RESULT_VARIABLE status OUTPUT_VARIABLE log ERROR_VARIABLE log)
        if(NOT status STREQUAL "0")
            message(FATAL_ERROR "the packages of the report page could not be fetched by 'npm ci' in ${CACHE}/bundle:\n${log}\n"
                "The rest does not need them. A command without the page: sh tools/compile release products -DPINION_REPORT=OFF")
        endif()
        file(WRITE ${CACHE}/packages.stamp "${package}${packages}")
    endif()

    execute_process(COMMAND ${NODE} build.js ${CACHE}
        WORKING_DIRECTORY ${CACHE}/bundle RESULT_VARIABLE status OUTPUT_VARIABLE log ERROR_VARIABLE log)
    if(NOT status STREQUAL "0")
        message(FATAL_ERROR "the report page could not be bundled:\n${log}")
    endif()
    file(WRITE ${CACHE}/page.stamp "${sums}")
endif()

# always written, so that it is newer than what it is made of
file(COPY_FILE ${CACHE}/page.c ${OUTPUT})
file(TOUCH ${OUTPUT})
