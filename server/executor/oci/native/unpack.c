/*
 * Unpacks one flat, uncompressed tar from standard input below the working folder: ustar, pax (path, linkpath,
 * size) and GNU long names. It runs as root of an unpack sandbox, and the tar is hostile: whatever it achieves
 * here is confined to that sandbox, and every entry is resolved with openat2 below the folder, no link followed.
 *
 * Devices, FIFOs and everything below /dev are left out: a sandbox always gets a /dev of its own.
 * Exit codes: 0 done, 2 not a readable tar, 3 a forbidden entry, 4 the disk refused.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BLOCK = 512, NAME_BYTES = 4096, CHUNK = 1 << 17, PAX_BYTES = 1 << 20, MAX_MADE = 2000000 };

struct header {
  char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[100], magic[6], version[2],
    owner[32], group[32], major[8], minor[8], prefix[155], rest[12];
};

static char name[NAME_BYTES], target[NAME_BYTES], long_name[NAME_BYTES], long_target[NAME_BYTES];
static int64_t pax_size = -1, pax_uid = -1, pax_gid = -1;

static int made;

static _Noreturn void stop(int code, const char *what) {
  fprintf(stderr, "unpack: %s: %s (%s)\n", what, name, strerror(errno));
  exit(code);
}

/* The disk is the host's: its inodes run out before its bytes. One entry may stand for two thousand folders. */
static void count_one(void) {
  if (++made > MAX_MADE) stop(3, "too many files");
}

static void read_exactly(void *into, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t count = read(0, (char *)into + done, size - done);
    if (count <= 0) stop(2, "truncated");
    done += count;
  }
}

static void skip(uint64_t size) {
  static char waste[CHUNK];
  for (; size; size -= size < sizeof waste ? size : sizeof waste) read_exactly(waste, size < sizeof waste ? size : sizeof waste);
}

static uint64_t padding(uint64_t size) { return (BLOCK - size % BLOCK) % BLOCK; }

static int64_t number(const char *field, size_t width) {
  uint64_t value = 0;
  if ((unsigned char)field[0] == 0x80) {
    for (size_t i = width - 8; i < width; i++) value = value << 8 | (unsigned char)field[i];
    if (value > INT64_MAX) stop(2, "number");
    return value;
  }
  for (size_t i = 0; i < width && field[i] && (field[i] != ' ' || !value); i++) {
    if (field[i] == ' ') continue;
    if (field[i] < '0' || field[i] > '7') stop(2, "number");
    value = value << 3 | (field[i] - '0');
  }
  return value;
}

static void check_sum(const struct header *header) {
  const unsigned char *bytes = (const unsigned char *)header;
  uint64_t sum = 0;
  for (size_t i = 0; i < BLOCK; i++)
    sum += i >= offsetof(struct header, sum) && i < offsetof(struct header, type) ? ' ' : bytes[i];
  if ((int64_t)sum != number(header->sum, sizeof header->sum)) stop(2, "checksum");
}

static void read_text(char *into, uint64_t size) {
  if (size >= NAME_BYTES) stop(2, "name too long");
  read_exactly(into, size);
  into[size] = 0;
  skip(padding(size));
}

static void read_pax(uint64_t size, int applies) {
  static char records[PAX_BYTES + 1];
  if (size > PAX_BYTES) stop(2, "pax header too long");
  read_exactly(records, size);
  records[size] = 0;
  skip(padding(size));
  for (char *at = records; applies && at < records + size;) {
    char *key;
    unsigned long length = strtoul(at, &key, 10);
    if (*key != ' ' || length < 5 || length > (unsigned long)(records + size - at) || at[length - 1] != '\n')
      stop(2, "pax record");
    at[length - 1] = 0;
    char *value = strchr(++key, '=');
    if (!value) stop(2, "pax record");
    *value++ = 0;
    size_t value_size = at + length - 1 - value;
    if (!strcmp(key, "path") || !strcmp(key, "linkpath")) {
      if (value_size >= NAME_BYTES || strlen(value) != value_size) stop(2, "name");
      strcpy(*key == 'p' ? long_name : long_target, value);
    } else if (!strcmp(key, "size")) pax_size = strtoll(value, NULL, 10);
    else if (!strcmp(key, "uid")) pax_uid = strtoll(value, NULL, 10);
    else if (!strcmp(key, "gid")) pax_gid = strtoll(value, NULL, 10);
    else if (!strncmp(key, "GNU.sparse", 10)) stop(3, "sparse file");
    at += length;
  }
}

/* Takes "./", "/" and empty parts away; refuses "..". */
static void tidy(char *path) {
  char *out = path;
  for (char *part = path; *part;) {
    size_t length = strcspn(part, "/");
    if (length == 2 && part[0] == '.' && part[1] == '.') stop(3, "name leaves the image");
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
  return syscall(SYS_openat2, AT_FDCWD, *path ? path : ".", &how, sizeof how);
}

/* Opens the folder of `path`, making what is missing; `last` is the last part. */
static int parent_of(char *path, char **last) {
  char *slash = strrchr(path, '/');
  *last = slash ? slash + 1 : path;
  if (!slash) {
    int top = open_below(".", O_PATH | O_DIRECTORY, 0);
    if (top < 0) stop(4, "top folder");
    return top;
  }
  *slash = 0;
  int parent = open_below(path, O_PATH | O_DIRECTORY, 0);
  if (parent < 0 && errno == ENOENT) {
    char *name_of_parent;
    int above = parent_of(path, &name_of_parent);
    count_one();
    if (mkdirat(above, name_of_parent, 0755)) stop(errno == ENOSPC ? 4 : 3, "folder");
    close(above);
    parent = open_below(path, O_PATH | O_DIRECTORY, 0);
  }
  *slash = '/';
  if (parent < 0) stop(3, "folder of entry is a link");
  return parent;
}

static void write_file(int parent, const char *last, uint64_t size, mode_t mode, uid_t uid, gid_t gid, time_t changed) {
  /* Kept to the second: Python compares it with what its compiled modules were made from. */
  struct timespec times[2] = { { .tv_sec = changed }, { .tv_sec = changed } };
  static char chunk[CHUNK];
  int file = openat(parent, last, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) stop(4, "file");
  for (uint64_t left = size; left;) {
    size_t count = left < sizeof chunk ? left : sizeof chunk;
    read_exactly(chunk, count);
    for (size_t done = 0; done < count;) {
      ssize_t written = write(file, chunk + done, count - done);
      if (written <= 0) stop(4, "write");
      done += written;
    }
    left -= count;
  }
  skip(padding(size));
  if (fchown(file, uid, gid) || fchmod(file, mode) || futimens(file, times)) stop(4, "owner");
  close(file);
}

static void make_folder(int parent, const char *last, mode_t mode, uid_t uid, gid_t gid) {
  struct stat known;
  if (mkdirat(parent, last, 0755) && (errno != EEXIST || fstatat(parent, last, &known, AT_SYMLINK_NOFOLLOW) || !S_ISDIR(known.st_mode))) {
    if (errno != EEXIST || unlinkat(parent, last, 0) || mkdirat(parent, last, 0755)) stop(4, "folder");
  }
  if (fchownat(parent, last, uid, gid, AT_SYMLINK_NOFOLLOW)) stop(4, "owner");
  int folder = openat(parent, last, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0 || fchmod(folder, mode)) stop(4, "mode");
  close(folder);
}

static void hard_link(int parent, const char *last) {
  char *linked;
  tidy(target);
  int from = parent_of(target, &linked);
  if (linkat(from, linked, parent, last, 0)) stop(3, "hard link");
  close(from);
}

static void entry(const struct header *header, uint64_t size) {
  mode_t mode = number(header->mode, sizeof header->mode) & 07777;
  uid_t uid = pax_uid >= 0 ? pax_uid : number(header->uid, sizeof header->uid);
  gid_t gid = pax_gid >= 0 ? pax_gid : number(header->gid, sizeof header->gid);
  if (uid > 65534 || gid > 65534) stop(3, "owner out of range");
  tidy(name);
  int left_out = !strncmp(name, "dev/", 4) || (header->type >= '3' && header->type <= '6' && header->type != '5');
  if (left_out || !*name) {
    skip(size + padding(size));
    return;
  }
  char *last;
  count_one();
  int parent = parent_of(name, &last);
  if (header->type != '5' && unlinkat(parent, last, 0) && errno != ENOENT) stop(3, "entry replaces a folder");
  switch (header->type) {
  case '0': case 0: case '7': write_file(parent, last, size, mode, uid, gid, number(header->mtime, sizeof header->mtime)); break;
  case '1': hard_link(parent, last); break;
  case '2':
    if (symlinkat(target, parent, last) || fchownat(parent, last, uid, gid, AT_SYMLINK_NOFOLLOW)) stop(4, "link");
    break;
  case '5': make_folder(parent, last, mode, uid, gid); break;
  default: stop(3, "entry of unknown kind");
  }
  close(parent);
}

int main(void) {
  struct header header;
  int regular_end = 0;
  umask(0);
  for (;;) {
    read_exactly(&header, sizeof header);
    static const struct header nothing;
    if (!memcmp(&header, &nothing, sizeof header)) {
      regular_end = 1;
      break;
    }
    check_sum(&header);
    uint64_t size = number(header.size, sizeof header.size);
    switch (header.type) {
    case 'L': read_text(long_name, size); continue;
    case 'K': read_text(long_target, size); continue;
    case 'x': read_pax(size, 1); continue;
    case 'g': read_pax(size, 0); continue;
    }
    int ustar = !memcmp(header.magic, "ustar", 5) && header.magic[5] == 0 && header.prefix[0];
    if (*long_name) strcpy(name, long_name);
    else snprintf(name, sizeof name, "%.155s%s%.100s", ustar ? header.prefix : "", ustar ? "/" : "", header.name);
    if (*long_target) strcpy(target, long_target);
    else snprintf(target, sizeof target, "%.100s", header.link);
    entry(&header, pax_size >= 0 ? (uint64_t)pax_size : size);
    *long_name = *long_target = 0;
    pax_size = pax_uid = pax_gid = -1;
  }
  /* The rest is read so that the sender can hash the whole tar. */
  static char waste[CHUNK];
  while (read(0, waste, sizeof waste) > 0) continue;
  return regular_end ? 0 : 2;
}
