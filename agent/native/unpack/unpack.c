/*
 * Unpacks one uncompressed tar from standard input below the working folder (tar.c reads it, entries.c makes what it
 * holds). With the argument `layer` it is a layer above others, and not a whole image. It runs as root of an unpack sandbox, and the tar is hostile: whatever it achieves here is confined to that sandbox.
 *
 * Exit codes: 0 done, 2 not a readable tar, 3 a forbidden entry, 4 the disk refused.
 */
#define _GNU_SOURCE
#include "unpack/unpack.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct entry entry;

_Noreturn void unpack_stop(int code, const char *what) {
  fprintf(stderr, "unpack: %s: %s (%s)\n", what, entry.name, strerror(errno));
  exit(code);
}

ssize_t unpack_read(void *into, size_t size) { return read(0, into, size); }

int main(int count, char **words) {
  bool layer = count > 1 && !strcmp(words[1], "layer");
  umask(0);
  while (tar_next(&entry)) entries_make(&entry, layer);
  /* The rest is read so that the sender can hash the whole tar. */
  static char unused[1 << 17];
  while (unpack_read(unused, sizeof unused) > 0) continue;
  return UNPACK_DONE;
}
