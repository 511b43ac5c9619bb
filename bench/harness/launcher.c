/*
 * Starts one command again and again and times it, for peers that are programs. It is small, so that the time is the
 * command's and not that of a fork from a big process.
 *
 *   launcher STDIN STDERR COMMAND [ARGUMENT...]
 *
 * For each byte on standard input the command runs once, with STDIN as its standard input, its output dropped, its
 * errors appended to STDERR, and /dev/null as descriptor 3. One line is answered:
 *   <nanoseconds from before the start until it was reaped> <microseconds of processor time> <wait status>
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static long long micros(struct timeval time) { return time.tv_sec * 1000000ll + time.tv_usec; }

int main(int count, char **arguments) {
  if (count < 4) return 2;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, arguments[1], O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, 2, arguments[2], O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_addopen(&files, 3, "/dev/null", O_RDWR, 0);
  for (char go; read(0, &go, 1) == 1;) {
    struct rusage used;
    int status;
    pid_t pid;
    long long begun = now_ns();
    int failed = posix_spawn(&pid, arguments[3], &files, NULL, arguments + 3, environ);
    if (failed) {
      fprintf(stderr, "%s: %s\n", arguments[3], strerror(failed));
      return 1;
    }
    if (wait4(pid, &status, 0, &used) != pid) return 1;
    printf("%lld %lld %d\n", now_ns() - begun, micros(used.ru_utime) + micros(used.ru_stime), status);
    fflush(stdout);
  }
  return 0;
}
