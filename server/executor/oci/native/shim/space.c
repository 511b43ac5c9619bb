/*
 * The disk that the host keeps sandboxes on may be the database's too: what a sandbox writes there is refused as on a
 * full disk while the disk still has this much, half of what the service keeps free by default.
 */
#define _GNU_SOURCE
#include "shim/shim.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <time.h>

static const uint64_t FLOOR_MAX = (uint64_t)2 << 30;
enum { FLOOR_SHARE = 40, REST_FACTOR = 3 };

bool space_low(int file) {
  struct statvfs disk;
  if (fstatvfs(file, &disk)) return false;
  uint64_t floor = (uint64_t)disk.f_blocks * disk.f_frsize / FLOOR_SHARE;
  if (floor > FLOOR_MAX) floor = FLOOR_MAX;
  return (uint64_t)disk.f_bavail * disk.f_frsize < floor;
}

void space_flush(int file) {
  sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
}

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void space_flush_slowly(int file) {
  int64_t started = now_ns();
  space_flush(file);
  int64_t rest = (now_ns() - started) * REST_FACTOR;
  struct timespec pause = { .tv_sec = rest / 1000000000, .tv_nsec = rest % 1000000000 };
  nanosleep(&pause, NULL);
}
