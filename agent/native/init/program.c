#define _GNU_SOURCE
#include "init/program.h"

#include "init/account.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

/* A file system with less than this free is full. */
enum { FULL_BYTES = 64 * 1024 };

static int supervisor, signals;
static sigset_t before;
static pid_t program;
static bool ending;

void program_report(uint32_t kind, uint32_t value) {
  uint32_t message[2] = { kind, value };
  if (write(supervisor, message, sizeof message) != sizeof message) _exit(1);
}

bool program_prepare(int to) {
  sigset_t children;
  supervisor = to;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_BLOCK, &children, &before);
  signals = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
  return signals >= 0;
}

int program_signals(void) { return signals; }

bool program_start(char **words) {
  int started[2];
  uint32_t reason;
  if (pipe2(started, O_CLOEXEC)) _exit(1);
  /* From here on the program may be able to kill process 1, depending on the runtime. */
  program_report('P', 0);
  account_export();
  /* The child has the memory of process 1 until it executes the program, because a copy costs more. It changes none of it but its stack. */
  program = vfork();
  if (program < 0) {
    program_report('F', (uint32_t)errno);
    return false;
  }
  if (program == 0) {
    setsid();
    sigprocmask(SIG_SETMASK, &before, 0);
    signal(SIGPIPE, SIG_DFL);
    execvp(words[0], words);
    uint32_t failure = (uint32_t)errno;
    if (write(started[1], &failure, sizeof failure) < 0) _exit(126);
    _exit(127);
  }
  close(started[1]);
  bool failed = read(started[0], &reason, sizeof reason) == sizeof reason;
  close(started[0]);
  if (failed) {
    program_report('F', reason);
    return false;
  }
  /* Only the program may hold the log and the input open: their end is its end. */
  close(0);
  program_report('R', 0);
  return true;
}

bool program_pass_on(void) {
  char request;
  if (read(supervisor, &request, 1) != 1) return false;
  kill(-1, request == 'K' ? SIGKILL : SIGTERM);
  kill(-1, SIGCONT);
  ending = true;
  return true;
}

/* Looked at before the sandbox ends, which the file system does not survive. */
static bool shared_memory_is_full(void) {
  struct statvfs space;
  if (statvfs("/dev/shm", &space) || !space.f_blocks) return false;
  /* Not every kernel counts inodes. */
  return space.f_bavail * space.f_frsize < FULL_BYTES || (space.f_files && space.f_favail == 0);
}

bool program_has_ended(struct program_end *end) {
  struct signalfd_siginfo ignored;
  pid_t ended;
  int status;
  while (read(signals, &ignored, sizeof ignored) > 0) continue;
  while ((ended = waitpid(-1, &status, WNOHANG)) > 0)
    if (ended == program && !ending) {
      *end = (struct program_end){ .by_itself = true, .shared_memory_full = status && shared_memory_is_full(), .status = status };
      return true;
    }
  return ending && ended < 0;
}

void program_report_end(const struct program_end *end) {
  if (end->shared_memory_full) program_report('M', 0);
  if (end->by_itself) program_report('X', (uint32_t)end->status);
}
