/* The same on a kernel without openat2, such as that of gVisor. */
#define _GNU_SOURCE
#include <errno.h>

#include "collect.c"

long __wrap_syscall(long number, ...) {
  (void)number;
  errno = ENOSYS;
  return -1;
}
