/*
 * Stands in for Node in a test of the seal: does before it what a reader has to be unable to do after it, then tries that
 * again, and every system call there is. Prints a line for each that the kernel did not refuse.
 *
 *   seal-probe OTHER    OTHER is the number of a process of the same user
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { seal = 0x5ea1, calls = 512 };

static pid_t other;
static volatile int is_sealed, asks_thread, thread_error;

static int reads_file(void) { return open("/etc/passwd", O_RDONLY); }
static int makes_socket(void) { return socket(AF_UNIX, SOCK_STREAM, 0); }
static int signals_other(void) { return kill(other, 0); }
static int makes_memory_file(void) { return memfd_create("probe", 0); }
static int reads_memory(void) {
  char byte;
  struct iovec local = {&byte, 1}, remote = {(void *)&other, 1};
  return (int)process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
}
static int starts_process(void) {
  pid_t pid = fork();
  if (pid == 0) _exit(0);
  return pid < 0 ? -1 : waitpid(pid, NULL, 0);
}
static int becomes_program(void) {
  char *argv[] = {"/bin/true", NULL};
  if (is_sealed) return execve(argv[0], argv, NULL);
  pid_t pid = fork();
  if (pid == 0) {
    execve(argv[0], argv, NULL);
    _exit(1);
  }
  int status;
  return waitpid(pid, &status, 0) == pid && status == 0 ? 0 : -1;
}
static int is_dumpable_again(void) { return is_sealed ? prctl_dumpable() : 0; }

static const struct {
  const char *name;
  int (*attempt)(void);
} attempts[] = {
    {"file", reads_file},        {"socket", makes_socket},   {"signal", signals_other},
    {"memory_file", makes_memory_file}, {"memory", reads_memory}, {"fork", starts_process},
    {"exec", becomes_program},   {"dumpable", is_dumpable_again},
};
