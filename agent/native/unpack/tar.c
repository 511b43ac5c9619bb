/*
 * Reads the headers of a tar: ustar, pax (path, linkpath, size, uid, gid, mtime) and GNU long names. Every byte of them is hostile.
 */
#define _GNU_SOURCE
#include "unpack/unpack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 512, PAX_BYTES = 1 << 20, SKIP_BYTES = 1 << 17, MAX_OWNER = 65534 };

struct header {
  char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[100], magic[6], version[2],
    owner[32], group[32], major[8], minor[8], prefix[155], rest[12];
};

/* The largest that a header holds in octal digits. */
static const int64_t MAX_TIME = (1LL << 33) - 1;

/* Values of the extended headers before an entry; no text and -1 where they say nothing. */
struct extended {
  char name[NAME_BYTES], target[NAME_BYTES];
  int64_t size, uid, gid, modified;
};

void tar_read(void *into, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t count = unpack_read((char *)into + done, size - done);
    if (count <= 0) unpack_stop(UNPACK_NOT_A_TAR, "truncated");
    done += (size_t)count;
  }
}

void tar_skip(uint64_t size) {
  static char unused[SKIP_BYTES];
  while (size) {
    size_t count = size < sizeof unused ? size : sizeof unused;
    tar_read(unused, count);
    size -= count;
  }
}

uint64_t tar_padding(uint64_t size) { return (BLOCK - size % BLOCK) % BLOCK; }

static int64_t number(const char *field, size_t width) {
  uint64_t value = 0;
  if ((unsigned char)field[0] == 0x80) {
    for (size_t i = width - 8; i < width; i++) value = value << 8 | (unsigned char)field[i];
    if (value > INT64_MAX) unpack_stop(UNPACK_NOT_A_TAR, "number");
    return (int64_t)value;
  }
  for (size_t i = 0; i < width && field[i] && (field[i] != ' ' || !value); i++) {
    if (field[i] == ' ') continue;
    if (field[i] < '0' || field[i] > '7') unpack_stop(UNPACK_NOT_A_TAR, "number");
    value = value << 3 | (uint64_t)(field[i] - '0');
  }
  return (int64_t)value;
}

static void check_sum(const struct header *header) {
  const unsigned char *bytes = (const unsigned char *)header;
  int64_t sum = 0;
  for (size_t i = 0; i < BLOCK; i++)
    sum += i >= offsetof(struct header, sum) && i < offsetof(struct header, type) ? ' ' : bytes[i];
  if (sum != number(header->sum, sizeof header->sum)) unpack_stop(UNPACK_NOT_A_TAR, "checksum");
}

static void read_text(char *into, uint64_t size) {
  if (size >= NAME_BYTES) unpack_stop(UNPACK_NOT_A_TAR, "name too long");
  tar_read(into, size);
  into[size] = 0;
  tar_skip(tar_padding(size));
}

static int64_t bounded_time(int64_t seconds) { return seconds < 0 ? 0 : seconds > MAX_TIME ? MAX_TIME : seconds; }

/* A time never makes an archive unreadable: what is before 1970, or of another form, is 0. */
static int64_t time_in(const char *field, size_t width) {
  unsigned char first = (unsigned char)field[0];
  if (first == 0xff) return 0;
  if (first == 0x80) {
    for (size_t i = 1; i < width - 8; i++)
      if (field[i]) return MAX_TIME;
    return (unsigned char)field[width - 8] & 0x80 ? MAX_TIME : bounded_time(number(field, width));
  }
  for (size_t i = 0; i < width && field[i]; i++)
    if (field[i] != ' ' && (field[i] < '0' || field[i] > '7')) return 0;
  return bounded_time(number(field, width));
}

static void set_from_record(struct extended *extended, const char *key, const char *value, size_t size) {
  if (!strcmp(key, "path") || !strcmp(key, "linkpath")) {
    if (size >= NAME_BYTES || strlen(value) != size) unpack_stop(UNPACK_NOT_A_TAR, "name");
    strcpy(*key == 'p' ? extended->name : extended->target, value);
  } else if (!strcmp(key, "size")) extended->size = strtoll(value, NULL, 10);
  else if (!strcmp(key, "uid")) extended->uid = strtoll(value, NULL, 10);
  else if (!strcmp(key, "gid")) extended->gid = strtoll(value, NULL, 10);
  else if (!strcmp(key, "mtime")) extended->modified = bounded_time(strtoll(value, NULL, 10));
  else if (!strncmp(key, "GNU.sparse", 10)) unpack_stop(UNPACK_FORBIDDEN, "sparse file");
}

/* Records of the form `<length> <key>=<value>\n`, where the length counts the whole record. */
static void read_pax(struct extended *extended, uint64_t size, bool applies) {
  static char records[PAX_BYTES + 1];
  if (size > PAX_BYTES) unpack_stop(UNPACK_NOT_A_TAR, "pax header too long");
  tar_read(records, size);
  records[size] = 0;
  tar_skip(tar_padding(size));
  for (char *at = records; applies && at < records + size;) {
    char *key;
    unsigned long length = *at >= '0' && *at <= '9' ? strtoul(at, &key, 10) : 0;
    if (length < 5 || length > (unsigned long)(records + size - at) || *key != ' ' || at[length - 1] != '\n')
      unpack_stop(UNPACK_NOT_A_TAR, "pax record");
    char *end = at + length - 1, *value = memchr(at, '=', length);
    *end = 0;
    if (!value || value < key) unpack_stop(UNPACK_NOT_A_TAR, "pax record");
    *value++ = 0;
    set_from_record(extended, key + 1, value, (size_t)(end - value));
    at = end + 1;
  }
}

static uint32_t owner(int64_t extended, const char *field, size_t width) {
  int64_t id = extended >= 0 ? extended : number(field, width);
  if (id > MAX_OWNER) unpack_stop(UNPACK_FORBIDDEN, "owner out of range");
  return (uint32_t)id;
}

static void describe(struct entry *entry, const struct header *header, const struct extended *extended) {
  bool ustar = !memcmp(header->magic, "ustar", 6) && header->prefix[0];
  if (*extended->name) strcpy(entry->name, extended->name);
  else snprintf(entry->name, sizeof entry->name, "%.155s%s%.100s", ustar ? header->prefix : "", ustar ? "/" : "", header->name);
  if (*extended->target) strcpy(entry->target, extended->target);
  else snprintf(entry->target, sizeof entry->target, "%.100s", header->link);
  entry->type = header->type;
  entry->mode = number(header->mode, sizeof header->mode) & 07777;
  entry->uid = owner(extended->uid, header->uid, sizeof header->uid);
  entry->gid = owner(extended->gid, header->gid, sizeof header->gid);
  entry->size = (uint64_t)(extended->size >= 0 ? extended->size : number(header->size, sizeof header->size));
  entry->modified = extended->modified >= 0 ? extended->modified : time_in(header->mtime, sizeof header->mtime);
}

bool tar_next(struct entry *entry) {
  static const struct header end;
  static struct extended extended;
  struct header header;
  extended = (struct extended){ .size = -1, .uid = -1, .gid = -1, .modified = -1 };
  for (;;) {
    tar_read(&header, sizeof header);
    if (!memcmp(&header, &end, sizeof header)) return false;
    check_sum(&header);
    uint64_t size = (uint64_t)number(header.size, sizeof header.size);
    switch (header.type) {
    case 'L': read_text(extended.name, size); continue;
    case 'K': read_text(extended.target, size); continue;
    case 'x': read_pax(&extended, size, true); continue;
    case 'g': read_pax(&extended, size, false); continue;
    }
    describe(entry, &header, &extended);
    return true;
  }
}
