/*
 * Process 1 of every sandbox. It starts the program, reaps orphans, and reports to the shim over a socket whether the
 * program started and how it ended, and before that whether it is up itself. argv[1] names the descriptor of that socket: 3, or 2
 * under a runtime that passes no other descriptor. It runs confined like the program itself (same user, no capability, same seccomp
 * filter), so the shim trusts its reports no more than the program: it reads messages of eight bytes and nothing else.
 *
 * It waits for the start signal: the first byte of its input, which the shim sends and the program never sees. So a
 * sandbox can be prepared before it is known which run it is for.
 *
 * A byte from the shim asks the sandbox to end: process 1 passes it on to all others as SIGTERM, and then waits for all of
 * them, because the shell that runs a script ends before the programs that the script has started.
 *
 * Without a filter of system calls it starts nothing, whatever the runtime did with the one that it was given.
 *
 * It is not dumpable, so the program can neither trace it nor reach its descriptors through /proc. When the
 * shim dies, the other end of the socket closes; process 1 then exits and the kernel kills the whole sandbox.
 */
#define _GNU_SOURCE
#include "init/account.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

/* A file system with less than this free is full. */
enum { FULL_BYTES = 64 * 1024 };

static int shim;

/* False when the shim ended before it sent the start signal. */
static bool wait_for_start_signal(void) {
  char signal_byte;
  ssize_t count;
  while ((count = read(0, &signal_byte, 1)) < 0 && errno == EINTR) continue;
  return count == 1;
}

static void report(uint32_t kind, uint32_t value) {
  uint32_t message[2] = { kind, value };
  if (write(shim, message, sizeof message) != sizeof message) _exit(1);
}

/* Looked at before the sandbox ends, which the file system does not survive. */
static bool shared_memory_is_full(void) {
  struct statvfs space;
  if (statvfs("/dev/shm", &space) || !space.f_blocks) return false;
  return space.f_bavail * space.f_frsize < FULL_BYTES || space.f_favail == 0;
}

/* False when the shim is gone. A stopped process gets its signal only once it goes on. */
static bool pass_on_request(void) {
  char request;
  if (read(shim, &request, 1) != 1) return false;
  kill(-1, SIGTERM);
  kill(-1, SIGCONT);
  return true;
}

int main(int count, char **arguments) {
  int started[2];
  sigset_t children, before;
  signal(SIGPIPE, SIG_IGN);
  if (count < 3 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)) return 1;
  int status_socket = arguments[1][0] - '0';
  shim = fcntl(status_socket, F_DUPFD_CLOEXEC, 3);
  /* Where the socket came in as standard error, the program's standard error is the log again. */
  if (shim < 0 || (status_socket == 2 ? dup2(1, 2) < 0 : close(status_socket))) return 1;
  if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != SECCOMP_MODE_FILTER) {
    report('F', EPROTO);
    return 1;
  }
  report('U', 0);
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_BLOCK, &children, &before);
  int signals = signalfd(-1, &children, SFD_CLOEXEC);
  if (signals < 0 || pipe2(started, O_CLOEXEC)) return 1;

  if (!wait_for_start_signal()) return 1;
  /* From here on the program may be able to kill process 1, depending on the runtime. */
  report('P', 0);
  account_export();
  /* The child has the memory of process 1 until it executes the program, because a copy costs more. It changes none of it but its stack. */
  pid_t program = vfork();
  if (program < 0) {
    report('F', errno);
    return 1;
  }
  if (program == 0) {
    setsid();
    sigprocmask(SIG_SETMASK, &before, 0);
    signal(SIGPIPE, SIG_DFL);
    execvp(arguments[2], arguments + 2);
    uint32_t reason = errno;
    if (write(started[1], &reason, sizeof reason) < 0) _exit(126);
    _exit(127);
  }
  close(started[1]);
  uint32_t reason;
  if (read(started[0], &reason, sizeof reason) == sizeof reason) {
    report('F', reason);
    return 1;
  }
  close(started[0]);
  /* Only the program may hold the log and the input open: their end is its end. */
  close(0);
  report('R', 0);

  for (bool ending = false;;) {
    struct pollfd waits[2] = { { .fd = signals, .events = POLLIN }, { .fd = shim, .events = POLLIN } };
    if (poll(waits, 2, -1) < 0 && errno != EINTR) return 1;
    if (waits[1].revents && !pass_on_request()) return 1;
    ending |= waits[1].revents != 0;
    struct signalfd_siginfo ignored;
    if (waits[0].revents && read(signals, &ignored, sizeof ignored) < 0) return 1;
    pid_t ended;
    int status;
    while ((ended = waitpid(-1, &status, WNOHANG)) > 0)
      if (ended == program && !ending) {
        if (status && shared_memory_is_full()) report('M', 0);
        report('X', (uint32_t)status);
        return 0;
      }
    if (ending && ended < 0) return 0;
  }
}
