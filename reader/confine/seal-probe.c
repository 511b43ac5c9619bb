/*
 * Stands in for Node in a test of the seal: what a reader has to be unable to do is done before the seal, where it has to
 * work, and after it; then comes every system call there is, by its number. Prints what happened, a line each.
 *
 *   seal-probe OTHER    OTHER is the number of a process of the same user
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { seal = 0x5ea1, calls = 512 };

static pid_t other;
static sem_t go, done;

static int file(void) { return open("/etc/passwd", O_RDONLY); }
static int socket_made(void) { return socket(AF_UNIX, SOCK_STREAM, 0); }
static int other_signalled(void) { return kill(other, 0); }
static int memory_file(void) { return memfd_create("probe", 0); }
static int memory_read(void) {
  char byte;
  struct iovec local = {&byte, 1}, remote = {&other, 1};
  return (int)process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
}
static int process_made(void) {
  pid_t pid = fork();
  if (pid == 0) _exit(0);
  return pid < 0 ? -1 : waitpid(pid, NULL, 0);
}
static int dumpable(void) {
  /* The same value, so that nothing changes before the seal. */
  return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

static int (*const attempts[])(void) = {file,        socket_made,  other_signalled, memory_file,
                                        memory_read, process_made, dumpable};
static const char *const names[] = {"file",   "socket",       "signal",  "memory_file",
                                    "memory", "process_made", "dumpable"};

static void *in_thread(void *unused) {
  sem_wait(&go);
  printf("thread %d\n", file() < 0 ? errno : 0);
  sem_post(&done);
  return unused;
}

static void *nothing(void *unused) { return unused; }

static void attempt_all(const char *when) {
  for (size_t at = 0; at < sizeof attempts / sizeof *attempts; at += 1) {
    errno = 0;
    printf("%s %s %d\n", when, names[at], attempts[at]() < 0 ? errno : 0);
  }
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  other = atoi(argv[argc - 1]);
  setvbuf(stdout, NULL, _IOLBF, 0);
  pthread_t old, fresh;
  sem_init(&go, 0, 0);
  sem_init(&done, 0, 0);
  if (pthread_create(&old, NULL, in_thread, NULL) != 0) return 3;
  attempt_all("before");
  printf("sealed %d\n", umask(seal) == seal);
  attempt_all("after");
  /* A thread from before is sealed too, and V8 may have more of them. */
  sem_post(&go);
  sem_wait(&done);
  printf("fresh %d\n", pthread_create(&fresh, NULL, nothing, NULL));
  pthread_join(fresh, NULL);
  for (long call = 0; call < calls; call += 1) {
    /* Calls that would end this process or wait for ever: a reader has these. */
    if (call == SYS_exit || call == SYS_exit_group || call == SYS_rt_sigreturn || call == SYS_ppoll) continue;
    /* The kernel's own, for its probes: whoever else calls one gets a signal that ends it. */
    if (call == 335 || call == 336) continue;
    errno = 0;
    /* No descriptor, no address and no size: a call that is let does nothing. */
    long result = syscall(call, -1l, 0l, 0l, 0l, 0l, 0l);
    if (result >= 0 || (errno != EPERM && errno != ENOSYS)) printf("let %ld\n", call);
  }
  puts("end");
  fflush(stdout);
  /* Without what the C library does at an end. */
  _exit(0);
}
