# Writes embedded.c: cmake -DSOURCE=src -DOUTPUT=embedded.c -P embed_build.cmake
#
# Every text is an array of bytes: string literals of this length are more than the C standard promises to take.
cmake_minimum_required(VERSION 3.22)

# Appends the file's text to `variable` of the caller, without the #include "..." lines; where `flatten` is set, in
# their place the files that they name, each once.
function(append_text variable name flatten)
    file(READ "${SOURCE}/${name}" rest)
    list(APPEND included "${name}")
    set(result "${${variable}}")
    while("${rest}" MATCHES "(^|\n)(#include \"([^\"\n]*)\"[^\n]*\n)")
        set(line "${CMAKE_MATCH_2}")
        set(target "${CMAKE_MATCH_3}")
        string(FIND "${rest}" "${line}" begin)
        string(LENGTH "${line}" length)
        math(EXPR behind "${begin} + ${length}")
        string(SUBSTRING "${rest}" 0 ${begin} before)
        string(SUBSTRING "${rest}" ${behind} -1 rest)
        string(APPEND result "${before}")
        if(flatten)
            set(path "${target}") # below src/
            if(NOT path IN_LIST included)
                append_text(result "${path}" YES)
            endif()
        endif()
    endwhile()
    set(${variable} "${result}${rest}" PARENT_SCOPE)
    set(included "${included}" PARENT_SCOPE)
endfunction()

set(arrays)
set(rows)
set(count 0)

# one more text under a name
function(embed name text)
    string(HEX "${text}" bytes)
    # 24 bytes a line
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    set(word "0x[0-9a-f][0-9a-f],")
    set(words "${word}${word}${word}${word}${word}${word}${word}${word}")
    string(REGEX REPLACE "(${words}${words}${words})" "\\1\n" bytes "${bytes}")
    string(APPEND arrays "static const unsigned char text_${count}[] = {\n${bytes}0x00};\n")
    string(APPEND rows "    {\"${name}\", text_${count}},\n")
    math(EXPR count "${count} + 1")
    set(arrays "${arrays}" PARENT_SCOPE)
    set(rows "${rows}" PARENT_SCOPE)
    set(count ${count} PARENT_SCOPE)
endfunction()

# sine and cosine without the contract around them
foreach(precision f64 f32)
    set(text)
    set(included)
    append_text(text real/sincos_${precision}.h NO)
    append_text(text real/sincos.inc NO)
    embed(sincos_${precision} "${text}")
endforeach()

# the contract of packs with all that it includes
set(text)
set(included)
append_text(text real/real_pack.h YES)
embed(pack "${text}")

# The kernels, file by file, as they are: a robot that is too large for straight lines carries those that it needs.
file(GLOB_RECURSE kernels RELATIVE "${SOURCE}" "${SOURCE}/kernel/*.inc" "${SOURCE}/kernel/*.h" "${SOURCE}/spatial/*.inc")
list(REMOVE_ITEM kernels kernel/lanes.inc)
foreach(name IN LISTS kernels ITEMS model/tree.h model/constants.inc real/triple_array.h real/wide_one.h)
    file(READ "${SOURCE}/${name}" text)
    embed(${name} "${text}")
endforeach()

file(WRITE "${OUTPUT}.new"
"/* Sources of Pinion as text, made by cmake/embed_build.cmake. */
#include \"codegen/rolled/rolled.h\"

#include <string.h>

${arrays}
static const struct {
    const char *name;
    const unsigned char *text;
} embedded[] = {
${rows}};

const char *pn_embedded_at(int i, const char **text)
{
    if ((size_t)i >= sizeof embedded / sizeof *embedded) return NULL;
    *text = (const char *)embedded[i].text;
    return embedded[i].name;
}

const char *pn_embedded(const char *name)
{
    const char *other, *text;
    for (int i = 0; (other = pn_embedded_at(i, &text)) != NULL; i++)
        if (strcmp(name, other) == 0) return text;
    return NULL;
}
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
