# What the compiler and the linker can do against a mistake that is still in here, where they have it. Kernels, and the
# calls around them that a control loop makes, go without what costs time: they follow no pointer of a file.
#
#   pinion_harden(SOURCES...)  for what is compiled
#   pinion_link(TARGET)        for what is linked and installed; and where it looks for other libraries

include(CheckCSourceCompiles)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)

set(pinion_harden_flags)
set(pinion_harden_links)
set(pinion_harden_address OFF) # programs at another address each time
set(fortify)
if(PINION_HARDEN AND NOT "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_DEBUG}" MATCHES "-fsanitize")
    # pinion_try(LIST NAME FLAG LINK): the flags join the list if a program that copies a string compiles and links
    # with them without a warning
    function(pinion_try list name flag link)
        set(CMAKE_REQUIRED_FLAGS "-Werror -O2 ${flag}")
        set(CMAKE_REQUIRED_LINK_OPTIONS ${link})
        check_c_source_compiles("#include <string.h>\nint main(int n, char **v) { char to[8]; memcpy(to, v[0], (size_t)n & 7); return to[0]; }"
            PINION_HARDEN_${name})
        if(PINION_HARDEN_${name})
            set(${list} ${${list}} ${flag} ${link} PARENT_SCOPE)
        endif()
    endfunction()
    pinion_try(pinion_harden_flags STACK_PROTECTOR -fstack-protector-strong "")
    pinion_try(pinion_harden_flags STACK_CLASH -fstack-clash-protection "")
    pinion_try(pinion_harden_flags CONTROL_FLOW -fcf-protection=full "")
    pinion_try(fortify FORTIFY_3 "-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3" "")
    if(NOT fortify)
        pinion_try(fortify FORTIFY_2 "-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2" "")
    endif()
    separate_arguments(fortify)
    foreach(flag IN LISTS fortify) # it counts on the optimizer
        list(APPEND pinion_harden_flags $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:${flag}>)
    endforeach()
    # tables of addresses are filled when the program starts, and can no longer be written then
    pinion_try(pinion_harden_links RELRO "" "-Wl,-z,relro,-z,now")
    pinion_try(pinion_harden_links NO_EXEC_STACK "" "-Wl,-z,noexecstack")
    set(pinion_harden_address ON)
endif()

function(pinion_harden)
    set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS ${pinion_harden_flags})
endfunction()

# The same folders before and after installing: CMake would leave room to change them in the form of an empty entry,
# which means the current folder. Libraries of others are looked for where they were found.
function(pinion_link target)
    target_link_options(${target} PRIVATE ${pinion_harden_links})
    set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH_USE_LINK_PATH ON)
endfunction()
