/* Shared by the parts of the unpacker. See unpack.c for how it works. */
#ifndef SANDBOX_UNPACK_H
#define SANDBOX_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { NAME_BYTES = 4096 };

/* Exit codes. */
enum { UNPACK_DONE, UNPACK_NOT_A_TAR = 2, UNPACK_FORBIDDEN, UNPACK_DISK };

/* One entry of the archive, as its headers describe it. Its content follows in the input. */
struct entry {
  char name[NAME_BYTES], target[NAME_BYTES];
  char type;
  mode_t mode;
  uid_t uid;
  gid_t gid;
  uint64_t size;
  /* From 1970 on, and within what a header holds. */
  time_t modified;
};

/* unpack.c */
/* Ends the program with that code; `what` says why. */
_Noreturn void unpack_stop(int code, const char *what);
/* As read(2) from the archive. */
ssize_t unpack_read(void *into, size_t size);

/* tar.c */
/* Reads the headers of the next entry; false at the end of the archive. */
bool tar_next(struct entry *entry);
/* Reads exactly so many bytes of the archive. */
void tar_read(void *into, size_t size);
void tar_skip(uint64_t size);
/* Bytes that fill the last block of a content of that size. */
uint64_t tar_padding(uint64_t size);

/* entries.c */
/* Makes the entry below the working folder, and reads its content. In a `layer` a name `.wh.NAME` hides NAME of the layers below. */
void entries_make(struct entry *entry, bool layer);

#endif
