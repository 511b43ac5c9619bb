/*
 * Shifts the time of day by the number of seconds in the file CLOCK_FILE. Preloaded into every program of a service under
 * test, so that its clock can be set without setting that of the machine. Timers and the monotonic clock are unchanged, as
 * when a clock is set.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *moved_by;

__attribute__((constructor)) static void begin(void) {
  int file = open(CLOCK_FILE, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  void *seconds = mmap(NULL, sizeof *moved_by, PROT_READ, MAP_SHARED, file, 0);
  if (seconds != MAP_FAILED) moved_by = seconds;
  close(file);
}

static int is_time_of_day(clockid_t id) { return id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE; }

int clock_gettime(clockid_t id, struct timespec *now) {
  long answer = syscall(SYS_clock_gettime, id, now);
  if (answer == 0 && moved_by && is_time_of_day(id)) now->tv_sec += *moved_by;
  return (int)answer;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  struct timespec exact;
  int answer = clock_gettime(CLOCK_REALTIME, &exact);
  now->tv_sec = exact.tv_sec;
  now->tv_usec = exact.tv_nsec / 1000;
  return answer;
}

time_t time(time_t *into) {
  struct timespec exact;
  clock_gettime(CLOCK_REALTIME, &exact);
  if (into) *into = exact.tv_sec;
  return exact.tv_sec;
}
