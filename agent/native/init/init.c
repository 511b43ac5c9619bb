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
#include "init/program.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

/* False when the shim ended before it sent the start signal. */
static bool wait_for_start_signal(void) {
  char signal_byte;
  ssize_t count;
  while ((count = read(0, &signal_byte, 1)) < 0 && errno == EINTR) continue;
  return count == 1;
}

int main(int count, char **arguments) {
  signal(SIGPIPE, SIG_IGN);
  if (count < 3 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)) return 1;
  int status_socket = arguments[1][0] - '0';
  int shim = fcntl(status_socket, F_DUPFD_CLOEXEC, 3);
  /* Where the socket came in as standard error, the program's standard error is the log again. */
  if (shim < 0 || (status_socket == 2 ? dup2(1, 2) < 0 : close(status_socket))) return 1;
  if (!program_prepare(shim)) return 1;
  if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != SECCOMP_MODE_FILTER) {
    program_report('F', EPROTO);
    return 1;
  }
  program_report('U', 0);
  if (!wait_for_start_signal() || !program_start(arguments + 2)) return 1;

  for (struct program_end end = { 0 };;) {
    struct pollfd waits[2] = { { .fd = program_signals(), .events = POLLIN }, { .fd = shim, .events = POLLIN } };
    if (poll(waits, 2, -1) < 0 && errno != EINTR) return 1;
    if (waits[1].revents && !program_pass_on()) return 1;
    if (!program_has_ended(&end)) continue;
    program_report_end(&end);
    return 0;
  }
}
