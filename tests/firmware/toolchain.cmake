# Cross-compiles a generated folder for a Cortex-M and runs its self-test under qemu:
#
#     cmake -S FOLDER -B BUILD -DCMAKE_TOOLCHAIN_FILE=toolchain.cmake -DCORE=m4f|m7|m7sp
#     cmake --build BUILD && ctest --test-dir BUILD
#
# Programs are linked with startup.c and board.ld of this folder.

set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY) # nothing to link with yet
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CORE)

set(flags_m4f "-mcpu=cortex-m4 -mfpu=fpv4-sp-d16")
set(flags_m7sp "-mcpu=cortex-m7 -mfpu=fpv5-sp-d16")
set(flags_m7 "-mcpu=cortex-m7 -mfpu=fpv5-d16")
set(machine_m4f mps2-an386)
set(machine_m7sp mps2-an500)
set(machine_m7 mps2-an500)
if(NOT DEFINED flags_${CORE})
    message(FATAL_ERROR "CORE is '${CORE}', and must be m4f, m7sp or m7")
endif()

set(CMAKE_C_FLAGS_INIT "-mthumb ${flags_${CORE}} -mfloat-abi=hard -ffunction-sections -fdata-sections")
set(CMAKE_EXE_LINKER_FLAGS_INIT
    "-nostartfiles -Wl,--gc-sections -T ${CMAKE_CURRENT_LIST_DIR}/board.ld ${CMAKE_CURRENT_LIST_DIR}/startup.c")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-system-arm -M ${machine_${CORE}} -nographic -monitor none -serial none
    -semihosting-config enable=on,target=native -kernel)
