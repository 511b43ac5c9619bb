/*
 * The bounded log: the first half of the limit goes to `log.head`, everything later through a ring in
 * `log.tail`. The ring's file starts with the count of bytes that were ever written to it (8 bytes, little
 * endian), so that a reader can unroll it while the program still runs. Each file is made with its first byte: most runs write
 * less than the head, and some nothing.
 */
#define _GNU_SOURCE
#include "shim/shim.h"

#include <endian.h>
#include <fcntl.h>
#include <unistd.h>

enum { RING_START = 8, CHECK_BYTES = 1 << 20, LARGE_BYTES = 1 << 22 };

static int head_file = -1, tail_file = -1;
static uint64_t head_limit, tail_limit, head_bytes, tail_bytes, checked_at;
static bool is_low;

void log_limit(uint64_t limit) {
  head_limit = limit / 2;
  tail_limit = limit - head_limit;
}

static int opened(int *file, const char *name) {
  if (*file < 0) *file = openat(shim_folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  return *file;
}

/* A full host disk costs log bytes, never the sandbox: short writes are not retried. */
static void put(int file, const char *bytes, size_t count, uint64_t at) {
  if (!is_low && pwrite(file, bytes, count, at) < 0) return;
}

void log_append(const char *bytes, size_t count) {
  if (log_total() >= checked_at) {
    is_low = space_low(shim_folder);
    checked_at = log_total() + CHECK_BYTES;
    /* The ring stays in memory, where what comes later takes the place of what it holds. */
    if (head_bytes < head_limit && head_bytes < LARGE_BYTES) space_flush(head_file);
    else if (head_bytes < head_limit) space_flush_slowly(head_file);
  }
  if (head_bytes < head_limit) {
    size_t fits = count < head_limit - head_bytes ? count : head_limit - head_bytes;
    put(opened(&head_file, "log.head"), bytes, fits, head_bytes);
    head_bytes += fits;
    bytes += fits;
    count -= fits;
  }
  if (!count || !tail_limit) {
    tail_bytes += count;
    return;
  }
  int ring = opened(&tail_file, "log.tail");
  for (size_t left = count; left;) {
    uint64_t position = tail_bytes % tail_limit;
    size_t fits = left < tail_limit - position ? left : tail_limit - position;
    put(ring, bytes, fits, RING_START + position);
    bytes += fits;
    left -= fits;
    tail_bytes += fits;
  }
  uint64_t written = htole64(tail_bytes);
  if (pwrite(ring, &written, sizeof written, 0) < 0) return;
}

uint64_t log_total(void) { return head_bytes + tail_bytes; }

uint64_t log_kept(void) { return head_bytes + (tail_bytes < tail_limit ? tail_bytes : tail_limit); }

void log_sync(void) {
  if (head_bytes) fdatasync(head_file);
  if (tail_bytes) fdatasync(tail_file);
}
