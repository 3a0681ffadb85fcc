# What `cmake --install` puts where: headers, the libraries, the CMake package, the pkg-config file,
# the command with its manual page and completions, and the bundled models.

include(CMakePackageConfigHelpers)

set(pinion_cmakedir ${CMAKE_INSTALL_LIBDIR}/cmake/pinion)

install(DIRECTORY include/pinion DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/pinion FILES_MATCHING PATTERN "*.json")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Two export sets: who links the shared library need not have what only the static one asks for.
install(TARGETS pinion_shared EXPORT pinionSharedTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS pinion_static EXPORT pinionStaticTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(set pinionSharedTargets pinionStaticTargets)
    install(EXPORT ${set} NAMESPACE pinion:: DESTINATION ${pinion_cmakedir})
endforeach()

if(pinion_with_sim)
    install(TARGETS pinion_sim_shared EXPORT pinionSimTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(TARGETS pinion_sim_static EXPORT pinionSimStaticTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    foreach(set pinionSimTargets pinionSimStaticTargets)
        install(EXPORT ${set} NAMESPACE pinion:: DESTINATION ${pinion_cmakedir})
    endforeach()
    # what pkg-config knows of what the static one needs: NAME=MODULE
    set(pinion_sim_modules)
    set(pinion_pc_sim_requires "jansson")
    if(PINION_WRITE_HDF5)
        set(pinion_sim_modules PINION_HDF5=${PINION_HDF5_MODULE_NAME})
        set(pinion_pc_sim_requires "${PINION_HDF5_MODULE_NAME}, jansson")
    endif()
endif()

# Until 1.0 a minor version may change the API (SemVer), so a package of 0.1 does not answer for 0.2.
configure_package_config_file(cmake/pinionConfig.cmake.in ${PROJECT_BINARY_DIR}/pinionConfig.cmake
    INSTALL_DESTINATION ${pinion_cmakedir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/pinionConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/pinionConfig.cmake ${PROJECT_BINARY_DIR}/pinionConfigVersion.cmake
    DESTINATION ${pinion_cmakedir})

# The pkg-config file finds its prefix from where it lies, so an installed tree may be moved or staged;
# only absolute install folders, which no prefix governs, are written as they are.
file(RELATIVE_PATH pinion_pc_up "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" pinion_pc_up "${pinion_pc_up}")
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    set(pinion_pc_prefix "${CMAKE_INSTALL_PREFIX}")
else()
    set(pinion_pc_prefix "\${pcfiledir}/${pinion_pc_up}")
endif()
foreach(dir LIBDIR INCLUDEDIR)
    if(IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
        set(pinion_pc_${dir} "${CMAKE_INSTALL_${dir}}")
    else()
        set(pinion_pc_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
    endif()
endforeach()
set(pinion_pc_requires)
if(PINION_IO)
    set(pinion_pc_requires "jansson")
    if(PINION_LIBXML2)
        set(pinion_pc_requires "libxml-2.0, jansson")
    endif()
endif()
# the flags of OpenMP link its library with the compiler that has it
set(pinion_pc_private)
if(pinion_openmp_libraries)
    set(pinion_pc_private "${OpenMP_C_FLAGS}")
endif()
set(pinion_pc_files pinion)
if(pinion_with_sim)
    list(APPEND pinion_pc_files pinion_sim)
endif()
foreach(file IN LISTS pinion_pc_files)
    configure_file(cmake/${file}.pc.in ${PROJECT_BINARY_DIR}/${file}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${file}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# The command. It writes its own completions, so they cannot disagree with it.
if(pinion_with_cli)
    install(TARGETS pinion RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    if(TARGET pinion_mpi)
        install(TARGETS pinion_mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    endif()
    install(FILES docs/pinion.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    if(NOT CMAKE_CROSSCOMPILING)
        set(pinion_completions ${PROJECT_BINARY_DIR}/completions)
        set(pinion_completion_bash ${CMAKE_INSTALL_DATADIR}/bash-completion/completions pinion)
        set(pinion_completion_zsh ${CMAKE_INSTALL_DATADIR}/zsh/site-functions _pinion)
        set(pinion_completion_fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d pinion.fish)
        set(outputs)
        foreach(shell bash zsh fish)
            list(GET pinion_completion_${shell} 0 folder)
            list(GET pinion_completion_${shell} 1 name)
            add_custom_command(OUTPUT ${pinion_completions}/${shell}
                COMMAND ${CMAKE_COMMAND} -E make_directory ${pinion_completions}
                COMMAND pinion completion ${shell} > ${pinion_completions}/${shell}
                DEPENDS pinion VERBATIM)
            install(FILES ${pinion_completions}/${shell} DESTINATION ${folder} RENAME ${name})
            list(APPEND outputs ${pinion_completions}/${shell})
        endforeach()
        add_custom_target(pinion_completions ALL DEPENDS ${outputs})
    endif()
endif()
