/* From reset to main on a Cortex-M with a floating-point unit, and the few system calls that newlib's printf makes.
 * Text and exit status go to the debugger by semihosting: qemu is one. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

extern uint32_t data_begin[], data_end[], bss_begin[], bss_end[], stack_top[];
extern const uint32_t data_image[];
extern char heap_begin[], heap_end[];

int main(void);
void reset(void);

enum { CPACR = 0xE000ED88u, FPU_FULL_ACCESS = 0xFu << 20 };
enum { SYS_OPEN = 1, SYS_WRITE = 5, SYS_EXIT_EXTENDED = 0x20 };
enum { APPLICATION_EXIT = 0x20026, FAULT_STATUS = 99 };

/* ---- semihosting: a request in r0, its arguments' address in r1, then breakpoint 0xAB ---- */

static uint32_t ask_debugger(uint32_t request, const void *arguments)
{
    register uint32_t r0 __asm__("r0") = request;
    register const void *r1 __asm__("r1") = arguments;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

void _exit(int status)
{
    const uint32_t arguments[2] = {APPLICATION_EXIT, (uint32_t)status};
    for (;;) ask_debugger(SYS_EXIT_EXTENDED, arguments);
}

/* Faults end the run: nothing here is expected to cause one. */
static void fault(void)
{
    _exit(FAULT_STATUS);
}

/* ---- reset ---- */

void reset(void)
{
    /* before the first instruction with a floating-point register */
    *(volatile uint32_t *)CPACR |= FPU_FULL_ACCESS;
    __asm__ volatile("dsb\n\tisb" ::: "memory");

    memcpy(data_begin, data_image, (size_t)((char *)data_end - (char *)data_begin));
    memset(bss_begin, 0, (size_t)((char *)bss_end - (char *)bss_begin));
    exit(main());
}

/* The initial stack, reset, and the exceptions of the core: non-maskable, hard, memory, bus, usage. */
__attribute__((section(".vectors"), used)) static void (*const vectors[16])(void) = {
    (void (*)(void))(uintptr_t)stack_top, reset, fault, fault, fault, fault, fault,
};

/* ---- what newlib asks for ---- */

int _write(int file, const char *text, int length)
{
    static uint32_t console; /* the debugger's number of it plus 1; 0: not open yet */
    (void)file;
    if (!console) {
        static const char name[] = ":tt";
        const uint32_t open[3] = {(uint32_t)(uintptr_t)name, 4 /* "w" */, sizeof name - 1};
        console = ask_debugger(SYS_OPEN, open) + 1;
    }
    const uint32_t write[3] = {console - 1, (uint32_t)(uintptr_t)text, (uint32_t)length};
    return length - (int)ask_debugger(SYS_WRITE, write); /* it answers how much is left over */
}

void *_sbrk(ptrdiff_t bytes)
{
    static char *end = heap_begin;
    if (bytes > heap_end - end) {
        errno = ENOMEM;
        return (void *)-1;
    }
    end += bytes;
    return end - bytes;
}

int _close(int file)
{
    (void)file;
    return -1;
}

int _fstat(int file, struct stat *status)
{
    (void)file;
    status->st_mode = S_IFCHR;
    return 0;
}

int _isatty(int file)
{
    (void)file;
    return 1;
}

int _lseek(int file, int offset, int whence)
{
    (void)file;
    (void)offset;
    (void)whence;
    return 0;
}

int _read(int file, char *to, int length)
{
    (void)file;
    (void)to;
    (void)length;
    return 0;
}

int _getpid(void)
{
    return 1;
}

int _kill(int process, int signal)
{
    (void)process;
    (void)signal;
    errno = EINVAL;
    return -1;
}
