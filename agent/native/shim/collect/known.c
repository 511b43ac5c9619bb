/*
 * The list is `folder.known`, which the agent wrote: records of 8 bytes of size, big endian, and the SHA-256, in the order of
 * their bytes.
 */
#define _GNU_SOURCE
#include "shim/collect/known.h"

#include <endian.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct known {
  uint8_t size[8], digest[SHA256_BYTES];
};
_Static_assert(sizeof(struct known) == 40, "a record has no gaps");

static const struct known *list;
static size_t list_count;

void known_open(int dir) {
  struct stat status;
  int file = openat(dir, "folder.known", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return;
  if (!fstat(file, &status) && status.st_size >= (off_t)sizeof *list) {
    void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes != MAP_FAILED) {
      list = bytes;
      list_count = (size_t)status.st_size / sizeof *list;
    }
  }
  close(file);
}

/* The first record that is not before `wanted`; NULL if there is none. */
static const struct known *first_from(const struct known *wanted) {
  size_t from = 0, to = list_count;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    if (memcmp(&list[middle], wanted, sizeof *wanted) < 0) from = middle + 1;
    else to = middle;
  }
  return from < list_count ? &list[from] : NULL;
}

static struct known record_of(uint64_t size, const uint8_t *digest) {
  struct known record = { 0 };
  uint64_t big = htobe64(size);
  memcpy(record.size, &big, sizeof big);
  if (digest) memcpy(record.digest, digest, SHA256_BYTES);
  return record;
}

bool known_has_size(uint64_t size) {
  struct known wanted = record_of(size, NULL);
  const struct known *found = first_from(&wanted);
  return found && !memcmp(found->size, wanted.size, sizeof wanted.size);
}

bool known_has(uint64_t size, const uint8_t digest[SHA256_BYTES]) {
  struct known wanted = record_of(size, digest);
  const struct known *found = first_from(&wanted);
  return found && !memcmp(found, &wanted, sizeof wanted);
}
