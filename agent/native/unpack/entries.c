/*
 * Makes the entries of a tar below the working folder. Every path is resolved with openat2 below that folder, and no link is
 * followed. A whiteout of a layer becomes one of overlayfs, the character device 0/0. Devices, FIFOs and everything below /dev are left out: a sandbox always gets a /dev of its own.
 */
#define _GNU_SOURCE
#include "unpack/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CHUNK = 1 << 17, MAX_MADE = 2000000 };

static int made;

/* The disk is the host's: its inodes run out before its bytes. One entry may stand for two thousand folders. */
static void count_one(void) {
  if (++made > MAX_MADE) unpack_stop(UNPACK_FORBIDDEN, "too many files");
}

/* Removes "./", "/" and empty parts; refuses "..". */
static void normalize(char *path) {
  char *out = path;
  for (char *part = path; *part;) {
    size_t length = strcspn(part, "/");
    if (length == 2 && part[0] == '.' && part[1] == '.') unpack_stop(UNPACK_FORBIDDEN, "name leaves the image");
    if (length && !(length == 1 && part[0] == '.')) {
      if (out != path) *out++ = '/';
      memmove(out, part, length);
      out += length;
    }
    char *next = part + length + strspn(part + length, "/");
    if (!*next) break;
    part = next;
  }
  *out = 0;
}

static int open_below(const char *path, int flags, int mode) {
  struct open_how how = { .flags = flags | O_CLOEXEC | O_NOFOLLOW, .mode = mode,
    .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS };
  return (int)syscall(SYS_openat2, AT_FDCWD, *path ? path : ".", &how, sizeof how);
}

/* Kept to the second: Python compares it with what its compiled modules were made from. */
static void set_times(int parent, const char *last, time_t modified) {
  struct timespec times[2] = { { .tv_sec = modified }, { .tv_sec = modified } };
  if (utimensat(parent, last, times, AT_SYMLINK_NOFOLLOW)) unpack_stop(UNPACK_DISK, "time");
}

/*
 * An entry made in a folder changes its time, which its own entry may have set: the folder gets back the time from before,
 * so that the order of the entries does not matter.
 */
static struct stat times_of(int folder) {
  struct stat before;
  if (fstat(folder, &before)) unpack_stop(UNPACK_DISK, "folder");
  return before;
}

static void restore_times(int folder, const struct stat *before) {
  struct timespec times[2] = { before->st_atim, before->st_mtim };
  if (utimensat(folder, "", times, AT_EMPTY_PATH)) unpack_stop(UNPACK_DISK, "time");
}

/* Opens the folder of `path`, making what is missing; `last` is the last part. */
static int parent_of(char *path, char **last) {
  char *slash = strrchr(path, '/');
  *last = slash ? slash + 1 : path;
  if (!slash) {
    int top = open_below(".", O_PATH | O_DIRECTORY, 0);
    if (top < 0) unpack_stop(UNPACK_DISK, "top folder");
    return top;
  }
  *slash = 0;
  int parent = open_below(path, O_PATH | O_DIRECTORY, 0);
  if (parent < 0 && errno == ENOENT) {
    char *name_of_parent;
    int above = parent_of(path, &name_of_parent);
    struct stat before = times_of(above);
    count_one();
    if (mkdirat(above, name_of_parent, 0755)) unpack_stop(errno == ENOSPC ? UNPACK_DISK : UNPACK_FORBIDDEN, "folder");
    restore_times(above, &before);
    close(above);
    parent = open_below(path, O_PATH | O_DIRECTORY, 0);
  }
  *slash = '/';
  if (parent < 0) unpack_stop(UNPACK_FORBIDDEN, "folder of entry is a link");
  return parent;
}

static void write_file(const struct entry *entry, int parent, const char *last) {
  static char chunk[CHUNK];
  int file = openat(parent, last, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) unpack_stop(UNPACK_DISK, "file");
  for (uint64_t left = entry->size; left;) {
    size_t count = left < sizeof chunk ? left : sizeof chunk;
    tar_read(chunk, count);
    for (size_t done = 0; done < count;) {
      ssize_t written = write(file, chunk + done, count - done);
      if (written <= 0) unpack_stop(UNPACK_DISK, "write");
      done += (size_t)written;
    }
    left -= count;
  }
  tar_skip(tar_padding(entry->size));
  if (fchown(file, entry->uid, entry->gid) || fchmod(file, entry->mode)) unpack_stop(UNPACK_DISK, "owner");
  close(file);
  set_times(parent, last, entry->modified);
}

static bool is_folder(int parent, const char *last) {
  struct stat known;
  return !fstatat(parent, last, &known, AT_SYMLINK_NOFOLLOW) && S_ISDIR(known.st_mode);
}

static void make_folder(const struct entry *entry, int parent, const char *last) {
  if (mkdirat(parent, last, 0755)) {
    bool exists = errno == EEXIST;
    if (!exists) unpack_stop(UNPACK_DISK, "folder");
    if (!is_folder(parent, last) && (unlinkat(parent, last, 0) || mkdirat(parent, last, 0755))) unpack_stop(UNPACK_DISK, "folder");
  }
  if (fchownat(parent, last, entry->uid, entry->gid, AT_SYMLINK_NOFOLLOW)) unpack_stop(UNPACK_DISK, "owner");
  int folder = openat(parent, last, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0 || fchmod(folder, entry->mode)) unpack_stop(UNPACK_DISK, "mode");
  close(folder);
  set_times(parent, last, entry->modified);
}

static void make_hard_link(struct entry *entry, int parent, const char *last) {
  char *linked;
  normalize(entry->target);
  int from = parent_of(entry->target, &linked);
  if (linkat(from, linked, parent, last, 0)) unpack_stop(UNPACK_FORBIDDEN, "hard link");
  close(from);
}

static void make_symlink(const struct entry *entry, int parent, const char *last) {
  if (symlinkat(entry->target, parent, last) || fchownat(parent, last, entry->uid, entry->gid, AT_SYMLINK_NOFOLLOW))
    unpack_stop(UNPACK_DISK, "link");
  set_times(parent, last, entry->modified);
}

static bool is_left_out(const struct entry *entry) {
  bool is_special = entry->type == '3' || entry->type == '4' || entry->type == '6';
  return is_special || !*entry->name || !strncmp(entry->name, "dev/", 4);
}

static const char hiding[] = ".wh.";

static bool is_whiteout(const char *last) { return !strncmp(last, hiding, sizeof hiding - 1); }

/* The kernel lets everyone make this device, which cannot be opened. */
static void make_whiteout(const struct entry *entry, int parent, const char *last) {
  const char *hidden = last + sizeof hiding - 1;
  if (entry->type != '0' || entry->size || !*hidden || !strcmp(hidden, ".") || !strcmp(hidden, "..") || is_whiteout(hidden))
    unpack_stop(UNPACK_FORBIDDEN, "whiteout");
  if (mknodat(parent, hidden, S_IFCHR, 0)) unpack_stop(errno == EEXIST ? UNPACK_FORBIDDEN : UNPACK_DISK, "whiteout");
}

static void make_entry(struct entry *entry, int parent, const char *last) {
  if (entry->type != '5' && unlinkat(parent, last, 0) && errno != ENOENT) unpack_stop(UNPACK_FORBIDDEN, "entry replaces a folder");
  switch (entry->type) {
  case '0': case 0: case '7': write_file(entry, parent, last); break;
  case '1': make_hard_link(entry, parent, last); break;
  case '2': make_symlink(entry, parent, last); break;
  case '5': make_folder(entry, parent, last); break;
  default: unpack_stop(UNPACK_FORBIDDEN, "entry of unknown kind");
  }
}

void entries_make(struct entry *entry, bool layer) {
  normalize(entry->name);
  if (is_left_out(entry)) {
    tar_skip(entry->size);
    tar_skip(tar_padding(entry->size));
    return;
  }
  char *last;
  count_one();
  int parent = parent_of(entry->name, &last);
  struct stat before = times_of(parent);
  if (layer && is_whiteout(last)) make_whiteout(entry, parent, last);
  else make_entry(entry, parent, last);
  restore_times(parent, &before);
  close(parent);
}
