/*
 * Starts one command repeatedly and times it, for peers that are programs. It is small, so that the time is that of
 * the command and not of a fork from a large process.
 *
 *   launcher end|output|all STDIN STDERR COMMAND [ARGUMENT...]
 *
 * For each byte on standard input the command runs once, with STDIN as its standard input, its output dropped, its
 * errors appended to STDERR, and as descriptor 3 a socket like that of a shim: it sends nothing, and what it receives is
 * dropped. The launcher prints one line:
 *   <nanoseconds from before the start until the timed event> <microseconds of processor time> <wait status>
 * The timed event is that the command was reaped, or the first byte of its output; a command without output counts as
 * failed then. With `all` it is that the processes which the command left behind were reaped too; their processor time counts.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static long long micros(const struct rusage *used) {
  return (used->ru_utime.tv_sec + used->ru_stime.tv_sec) * 1000000ll + used->ru_utime.tv_usec + used->ru_stime.tv_usec;
}

/* Waits for what the command left behind; returns its processor time. */
static long long reap_orphans(void) {
  struct rusage used;
  long long sum = 0;
  while (wait4(-1, NULL, 0, &used) > 0) sum += micros(&used);
  return sum;
}

/*
 * Nanoseconds when the first byte arrived, 0 if none did; the rest of the output is read and dropped, so that the
 * command can end.
 */
static long long first_byte(int output) {
  char bytes[1 << 16];
  long long first = 0;
  while (read(output, bytes, sizeof bytes) > 0)
    if (!first) first = now_ns();
  close(output);
  return first;
}

static void *drop_all(void *end) {
  char bytes[1 << 12];
  while (read(*(int *)end, bytes, sizeof bytes) > 0)
    ;
  return NULL;
}

static int spawn_once(char **arguments, int output, int shim, pid_t *pid) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, arguments[2], O_RDONLY, 0);
  if (output >= 0) posix_spawn_file_actions_adddup2(&files, output, 1);
  else posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, 2, arguments[3], O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&files, shim, 3);
  int failed = posix_spawn(pid, arguments[4], &files, NULL, arguments + 4, environ);
  posix_spawn_file_actions_destroy(&files);
  return failed;
}

int main(int count, char **arguments) {
  if (count < 5) return 2;
  bool to_output = !strcmp(arguments[1], "output"), with_orphans = !strcmp(arguments[1], "all");
  int shim[2];
  pthread_t dropping;
  if (with_orphans && prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)) return 1;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, shim)) return 1;
  if (pthread_create(&dropping, NULL, drop_all, &shim[0])) return 1;
  for (char go; read(0, &go, 1) == 1;) {
    struct rusage used;
    int status, output[2] = { -1, -1 };
    pid_t pid;
    if (to_output && pipe2(output, O_CLOEXEC)) return 1;
    long long started = now_ns(), reached = 0;
    int failed = spawn_once(arguments, output[1], shim[1], &pid);
    if (failed) {
      fprintf(stderr, "%s: %s\n", arguments[4], strerror(failed));
      return 1;
    }
    if (to_output) {
      close(output[1]);
      reached = first_byte(output[0]);
    }
    if (wait4(pid, &status, 0, &used) != pid) return 1;
    long long orphans = with_orphans ? reap_orphans() : 0;
    if (!to_output) reached = now_ns();
    if (!reached && !status) status = -1;
    printf("%lld %lld %d\n", reached - started, micros(&used) + orphans, status);
    fflush(stdout);
  }
  return 0;
}
