/*
 * The disk that the host keeps sandboxes on may be the database's too: what a sandbox writes there is refused as on a
 * full disk while the disk still has this much, half of what the service keeps free by default.
 */
#define _GNU_SOURCE
#include "shim.h"

#include <sys/statvfs.h>

static const uint64_t FLOOR_MAX = (uint64_t)2 << 30;
enum { FLOOR_SHARE = 40 };

bool space_low(int file) {
  struct statvfs disk;
  if (fstatvfs(file, &disk)) return false;
  uint64_t floor = (uint64_t)disk.f_blocks * disk.f_frsize / FLOOR_SHARE;
  if (floor > FLOOR_MAX) floor = FLOOR_MAX;
  return (uint64_t)disk.f_bavail * disk.f_frsize < floor;
}
