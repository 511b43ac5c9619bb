/*
 * Unpacks any bytes as a tar into a folder. Nothing may be created outside that folder. Each block that may be a header
 * gets the correct checksum, which a fuzzer cannot guess.
 */
#define _GNU_SOURCE
#include "unpack/unpack.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bounds the entries of one input; more would only take longer. */
enum { MAX_ENTRIES = 64 };

static const uint8_t *input;
static size_t input_left;
static jmp_buf stopped;
static int above, root;
static struct entry entry;

_Noreturn void unpack_stop(int code, const char *what) {
  (void)code, (void)what;
  longjmp(stopped, 1);
}

enum { BLOCK = 512, SUM_AT = 148, SUM_BYTES = 8 };

static void set_checksum(unsigned char *block) {
  unsigned sum = 0;
  for (int i = 0; i < BLOCK; i++) sum += i >= SUM_AT && i < SUM_AT + SUM_BYTES ? ' ' : block[i];
  /* Blocks of zeros end the archive. */
  if (sum > SUM_BYTES * ' ') snprintf((char *)block + SUM_AT, SUM_BYTES, "%06o", sum);
}

ssize_t unpack_read(void *into, size_t size) {
  size_t count = size < input_left ? size : input_left;
  memcpy(into, input, count);
  if (count == BLOCK) set_checksum(into);
  input += count;
  input_left -= count;
  return (ssize_t)count;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *at) {
  (void)status, (void)type;
  return at->level ? remove(path) : 0;
}

static void prepare(void) {
  static char folder[] = "unpack-XXXXXX";
  if (root) return;
  if (!mkdtemp(folder) || chdir(folder) || mkdir("root", 0755)) abort();
  above = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (chdir("root")) abort();
  root = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  umask(0);
}

/* `.`, `..` and the folder that the tar is unpacked into. */
enum { NAMES_ABOVE = 3 };

static void clear(void) {
  if (fchdir(root) || nftw(".", remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT)) abort();
  int names = 0;
  DIR *folder = fdopendir(openat(above, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  while (folder && readdir(folder)) names++;
  if (!folder || closedir(folder) || names != NAMES_ABOVE) abort();
  for (int descriptor = root + 1; descriptor < root + 64; descriptor++) close(descriptor);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  prepare();
  input = bytes;
  input_left = size;
  if (!setjmp(stopped))
    for (int count = 0; count < MAX_ENTRIES && tar_next(&entry); count++) entries_make(&entry, size / 512 % 2);
  clear();
  return 0;
}
