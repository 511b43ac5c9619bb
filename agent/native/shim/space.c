/*
 * The disk that the host keeps sandboxes on may be the database's too: what a sandbox writes there is refused as on a
 * full disk while the disk still has this much, half of what the service keeps free by default. A sandbox with a workspace on
 * that disk leaves more free, the floor of its plan: it takes far more than others, and for as long as it wants.
 */
#define _GNU_SOURCE
#include "shim/shim.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>

static const uint64_t FLOOR_MAX = (uint64_t)2 << 30;
enum { FLOOR_SHARE = 40, REST_FACTOR = 3 };
/* A sandbox that has taken little is not ended for what others have taken, and of several the one that has taken most ends first. */
enum { LITTLE = 4, MOST_SHARE = 8, STAT_BLOCK = 512 };

static bool has_less(const struct statvfs *disk, uint64_t bytes) { return (uint64_t)disk->f_bavail * disk->f_frsize < bytes; }

static bool is_full(const struct statvfs *disk) {
  uint64_t floor = (uint64_t)disk->f_blocks * disk->f_frsize / FLOOR_SHARE;
  return has_less(disk, floor > FLOOR_MAX ? FLOOR_MAX : floor);
}

bool space_low(int file) {
  struct statvfs disk;
  return !fstatvfs(file, &disk) && is_full(&disk);
}

bool space_short(int file) {
  struct statvfs disk;
  return !fstatvfs(file, &disk) && (is_full(&disk) || has_less(&disk, shim_plan.disk_floor));
}

bool space_taken(void) {
  struct statvfs disk;
  struct stat workspace;
  if (fstatvfs(shim_folder, &disk)) return false;
  if (is_full(&disk)) return true;
  if (stat(shim_plan.workspace_path, &workspace)) return false;
  uint64_t taken = (uint64_t)workspace.st_blocks * STAT_BLOCK, floor = shim_plan.disk_floor;
  if (floor > taken * LITTLE) floor = taken * LITTLE;
  return has_less(&disk, floor + taken / MOST_SHARE);
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
