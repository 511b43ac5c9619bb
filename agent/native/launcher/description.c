/*
 * Reads the description: words that end with a zero byte. The first two are `version` and its number. Then each key is followed by as
 * many values as it always has, and the last key is `end`, so that a description that was cut is none. The agent sends it
 * with the plan; words and variables of the program are the only text of a tenant in it.
 */
#define _GNU_SOURCE
#include "launcher/launcher.h"

#include <errno.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

static const char *const version = "2";

enum { MAX_INSTRUCTIONS = 4096, MAX_VALUES = 5 };

static _Noreturn void refuse(const char *what) {
  errno = EINVAL;
  launcher_fail(LAUNCH_DESCRIPTION, what);
}

struct named { const char *name; uint64_t value; };

static const struct named namespaces[] = {
  { "user", CLONE_NEWUSER }, { "pid", CLONE_NEWPID }, { "mount", CLONE_NEWNS }, { "ipc", CLONE_NEWIPC },
  { "uts", CLONE_NEWUTS }, { "cgroup", CLONE_NEWCGROUP }, { "network", CLONE_NEWNET }, { NULL, 0 },
};

static const struct named limits[] = {
  { "NOFILE", RLIMIT_NOFILE }, { "CORE", RLIMIT_CORE }, { "SIGPENDING", RLIMIT_SIGPENDING }, { "MSGQUEUE", RLIMIT_MSGQUEUE },
  { "MEMLOCK", RLIMIT_MEMLOCK }, { NULL, 0 },
};

static const struct named capabilities[] = {
  { "CHOWN", CAP_CHOWN }, { "DAC_OVERRIDE", CAP_DAC_OVERRIDE }, { "FOWNER", CAP_FOWNER }, { "FSETID", CAP_FSETID },
  { "KILL", CAP_KILL }, { "SETGID", CAP_SETGID }, { "SETUID", CAP_SETUID }, { "SETPCAP", CAP_SETPCAP }, { "SETFCAP", CAP_SETFCAP },
  { "SYS_CHROOT", CAP_SYS_CHROOT }, { "SYS_ADMIN", CAP_SYS_ADMIN }, { "MKNOD", CAP_MKNOD }, { NULL, 0 },
};

static uint64_t value_of(const struct named *known, const char *name) {
  for (; known->name; known++)
    if (!strcmp(known->name, name)) return known->value;
  refuse(name);
}

static uint64_t number(const char *text, int base, uint64_t most) {
  char *end;
  errno = 0;
  unsigned long long value = strtoull(text, &end, base);
  if (errno || *text < '0' || *text > '9' || *end || value > most) refuse("number");
  return value;
}

/* The next free place of a list. */
static int next(int *count, int limit) {
  if (*count >= limit) refuse("too many");
  return (*count)++;
}

/* Six bits of base64; -1 for every other byte. */
static int bits_of(char byte) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char *at = byte ? strchr(digits, byte) : NULL;
  return at ? (int)(at - digits) : -1;
}

/* The kernel's form of a filter, from base64. */
static void read_filter(struct sock_fprog *filter, const char *text) {
  static struct sock_filter instructions[MAX_INSTRUCTIONS];
  uint8_t *bytes = (uint8_t *)instructions;
  size_t size = 0;
  uint32_t bits = 0;
  int count = 0;
  for (; bits_of(*text) >= 0; text++) {
    bits = bits << 6 | (uint32_t)bits_of(*text);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    if (size >= sizeof instructions) refuse("filter");
    bytes[size++] = (uint8_t)(bits >> count);
  }
  text += strspn(text, "=");
  if (*text || !size || size % sizeof *instructions) refuse("filter");
  filter->len = (unsigned short)(size / sizeof *instructions);
  filter->filter = instructions;
}

static void take_hostname(struct description *to, char **values) { to->hostname = values[0]; }
static void take_root(struct description *to, char **values) { to->root = values[0]; }
static void take_folder(struct description *to, char **values) { to->folder = values[0]; }
static void take_uid_map(struct description *to, char **values) { to->uid_map = values[0]; }
static void take_gid_map(struct description *to, char **values) { to->gid_map = values[0]; }
static void take_namespace(struct description *to, char **values) { to->namespaces |= value_of(namespaces, values[0]); }

static void take_mount(struct description *to, char **values) {
  int i = next(&to->mount_count, MAX_MOUNTS);
  to->mounts[i].place = values[0];
  to->mounts[i].type = *values[1] ? values[1] : NULL;
  to->mounts[i].source = values[2];
  to->mounts[i].flags = values[3];
  to->mounts[i].options = values[4];
}

static void take_device(struct description *to, char **values) {
  int i = next(&to->device_count, MAX_PATHS);
  to->devices[i].place = values[0];
  to->devices[i].source = values[1];
}

static void take_link(struct description *to, char **values) {
  int i = next(&to->link_count, MAX_LINKS);
  to->links[i].place = values[0];
  to->links[i].target = values[1];
}

static void take_setting(struct description *to, char **values) {
  int i = next(&to->setting_count, MAX_SETTINGS);
  to->settings[i].name = values[0];
  to->settings[i].value = values[1];
}

static void take_read_only(struct description *to, char **values) { to->read_only[next(&to->read_only_count, MAX_PATHS)] = values[0]; }
static void take_masked(struct description *to, char **values) { to->masked[next(&to->masked_count, MAX_PATHS)] = values[0]; }

static void take_limit(struct description *to, char **values) {
  int i = next(&to->limit_count, MAX_LIMITS);
  to->limits[i].resource = (int)value_of(limits, values[0]);
  to->limits[i].limit = (struct rlimit){ .rlim_cur = number(values[1], 10, UINT32_MAX), .rlim_max = number(values[2], 10, UINT32_MAX) };
}

static void take_user(struct description *to, char **values) {
  to->uid = (uint32_t)number(values[0], 10, UINT16_MAX);
  to->gid = (uint32_t)number(values[1], 10, UINT16_MAX);
  to->mask = (mode_t)number(values[2], 8, 0777);
  to->has_user = true;
}

static void take_capability(struct description *to, char **values) { to->capabilities |= 1ull << value_of(capabilities, values[0]); }

static void take_filter(struct description *to, char **values) { read_filter(&to->filter, values[0]); }
static void take_argument(struct description *to, char **values) { to->arguments[next(&to->argument_count, MAX_ARGUMENTS)] = values[0]; }
static void take_variable(struct description *to, char **values) { to->variables[next(&to->variable_count, MAX_VARIABLES)] = values[0]; }

static const struct {
  const char *key;
  int values;
  void (*take)(struct description *to, char **values);
} keys[] = {
  { "hostname", 1, take_hostname }, { "root", 1, take_root }, { "folder", 1, take_folder }, { "uid_map", 1, take_uid_map },
  { "gid_map", 1, take_gid_map }, { "namespace", 1, take_namespace }, { "mount", MAX_VALUES, take_mount }, { "device", 2, take_device },
  { "link", 2, take_link }, { "setting", 2, take_setting }, { "read_only", 1, take_read_only }, { "masked", 1, take_masked },
  { "limit", 3, take_limit }, { "user", 3, take_user }, { "capability", 1, take_capability },
  { "filter", 1, take_filter }, { "argument", 1, take_argument },
  { "variable", 1, take_variable },
};

/* The next word; refuses at the end of the file. */
static char *next_word(char **rest, char *end) {
  char *word = *rest;
  if (word >= end) refuse("cut");
  *rest = word + strlen(word) + 1;
  return word;
}

static void read_key(struct description *to, const char *key, char **rest, char *end) {
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    if (strcmp(keys[i].key, key)) continue;
    char *values[MAX_VALUES];
    for (int at = 0; at < keys[i].values; at++) values[at] = next_word(rest, end);
    keys[i].take(to, values);
    return;
  }
  refuse(key);
}

void description_read(struct description *description, char *bytes, size_t size) {
  char *rest = bytes, *end = bytes + size;
  if (!size || end[-1]) refuse("cut");
  if (strcmp(next_word(&rest, end), "version") || strcmp(next_word(&rest, end), version)) refuse("version");
  for (char *key; strcmp(key = next_word(&rest, end), "end");) read_key(description, key, &rest, end);
  if (rest != end) refuse("end");
  /* Without these two the steps would be those of a process on the host. */
  uint64_t needed = CLONE_NEWUSER | CLONE_NEWNS;
  if ((description->namespaces & needed) != needed || !description->uid_map || !description->gid_map) refuse("namespace");
  if (!description->hostname || !description->root || !description->folder || !description->argument_count) refuse("incomplete");
  if (!description->has_user || !description->filter.len) refuse("incomplete");
}
