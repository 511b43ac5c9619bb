/* The program's filter of system calls. It is in the platform's layer, made from the same list as that of a host. */
#define _GNU_SOURCE
#include "pod-init/pod-init.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

bool confine(void) {
  static struct sock_filter steps[BPF_MAXINSNS];
  int file = open("/.sandbox/filter", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t count = read(file, steps, sizeof steps);
  close(file);
  if (count <= 0 || (size_t)count % sizeof *steps) return false;
  struct sock_fprog filter = { .len = (unsigned short)((size_t)count / sizeof *steps), .filter = steps };
  return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter);
}
