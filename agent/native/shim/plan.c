/*
 * Reads the plan: one `key value...` per line, written by the host agent into the sandbox's own folder. The
 * agent is trusted and has refused line breaks in every value, so the last field of a line may hold spaces.
 */
#define _GNU_SOURCE
#include "shim/shim.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLAN_BYTES = 65536 };

/* Cuts the next field off `*rest`. */
static char *next_field(char **rest) {
  char *found = strsep(rest, " ");
  if (!found || !*rest) shim_fail("plan_invalid");
  return found;
}

static uint64_t number(const char *text) {
  char *end;
  unsigned long long value = strtoull(text, &end, 10);
  if (end == text || *end) shim_fail("plan_invalid");
  return value;
}

static uint32_t number32(const char *text) {
  uint64_t value = number(text);
  if (value > UINT32_MAX) shim_fail("plan_invalid");
  return (uint32_t)value;
}

static void below(int count, int limit) {
  if (count >= limit) shim_fail("plan_invalid");
}

static void read_cgroup_line(struct plan *plan, const char *key, char *rest) {
  if (!strcmp(key, "cgroup")) {
    below(plan->cgroup_count, MAX_CGROUPS);
    plan->cgroups[plan->cgroup_count++] = rest;
  } else if (!strcmp(key, "shown_cgroup")) {
    plan->shown_cgroup = rest;
  } else if (!strcmp(key, "set")) {
    below(plan->setting_count, MAX_SETTINGS);
    int i = plan->setting_count++;
    plan->settings[i].slug = next_field(&rest);
    plan->settings[i].path = next_field(&rest);
    plan->settings[i].value = rest;
  } else if (!strcmp(key, "counter")) {
    below(plan->counter_count, MAX_COUNTERS);
    int i = plan->counter_count++;
    plan->counters[i].name = next_field(&rest);
    plan->counters[i].divisor = number(next_field(&rest));
    plan->counters[i].path = next_field(&rest);
    plan->counters[i].key = rest;
  } else if (!strcmp(key, "device")) {
    below(plan->device_count, MAX_DEVICES);
    int i = plan->device_count++;
    plan->devices[i].major = number32(next_field(&rest));
    plan->devices[i].minor = strcmp(rest, "*") ? number32(rest) : ANY_MINOR;
  } else if (!strcmp(key, "command")) {
    below(plan->word_count, MAX_WORDS);
    plan->command[plan->word_count++] = rest;
  } else if (!strcmp(key, "procs")) {
    plan->procs = rest;
  } else if (!strcmp(key, "collect_lock")) {
    plan->collect_lock = rest;
  } else {
    shim_fail("plan_invalid");
  }
}

static struct tree_plan tree_plan(char *rest) {
  struct tree_plan tree;
  tree.max_files = number(next_field(&rest));
  tree.max_bytes = number(next_field(&rest));
  tree.max_path = number(next_field(&rest));
  tree.max_name = number(next_field(&rest));
  tree.path = rest;
  return tree;
}

static void read_file_line(struct plan *plan, const char *key, char *rest) {
  if (!strcmp(key, "lower")) {
    below(plan->lower_count, MAX_LOWERS);
    struct tree_source *lower = &plan->lowers[plan->lower_count++];
    lower->disk_base = number32(next_field(&rest));
    lower->path = rest;
  } else if (!strcmp(key, "base_images")) {
    plan->base_images.disk_base = number32(next_field(&rest));
    plan->base_images.path = rest;
  } else if (!strcmp(key, "workspace")) {
    char *kind = next_field(&rest);
    plan->workspace = !strcmp(kind, "memory") ? WORKSPACE_MEMORY : !strcmp(kind, "disk") ? WORKSPACE_DISK : WORKSPACE_FOLDER;
    plan->workspace_bytes = number(next_field(&rest));
    plan->workspace_inodes = number(next_field(&rest));
    plan->workspace_path = rest;
  } else if (!strcmp(key, "disk_floor")) {
    plan->disk_floor = number(rest);
  } else if (!strcmp(key, "network")) {
    plan->network.egress_cap = number(next_field(&rest));
    plan->network.inode = number(next_field(&rest));
    plan->network.path = rest;
  } else if (!strcmp(key, "ingress_cap")) {
    plan->network.has_ingress_cap = true;
    plan->network.ingress_cap = number(rest);
  } else if (!strcmp(key, "collect_file")) {
    below(plan->file_count, MAX_FILES);
    int i = plan->file_count++;
    plan->files[i].max_bytes = number(next_field(&rest));
    plan->files[i].path = rest;
  } else if (!strcmp(key, "collect_seconds")) {
    plan->collect_seconds = number32(rest);
  } else if (!strcmp(key, "collect_tree")) {
    plan->has_tree = true;
    plan->tree = tree_plan(rest);
  } else if (!strcmp(key, "collect_folder")) {
    plan->has_folder = true;
    plan->folder = tree_plan(rest);
  } else {
    read_cgroup_line(plan, key, rest);
  }
}

/* No other event than `up`, the first report of process 1, ends a runtime. */
static bool ends_runtime(const char *event) {
  if (strcmp(event, "up")) shim_fail("plan_invalid");
  return true;
}

/* Every other runtime has a command line. */
static bool is_launcher(const char *runtime) {
  if (strcmp(runtime, "launcher")) shim_fail("plan_invalid");
  return true;
}

static void read_line(struct plan *plan, char *line) {
  char *rest = line;
  const char *key = next_field(&rest);
  if (!strcmp(key, "id")) plan->id = rest;
  else if (!strcmp(key, "staging")) plan->staging = rest;
  else if (!strcmp(key, "view")) plan->view = rest;
  else if (!strcmp(key, "hidden")) plan->hidden = rest;
  else if (!strcmp(key, "covered")) plan->covered = rest;
  else if (!strcmp(key, "status_descriptor")) plan->status_descriptor = (int)number32(rest);
  else if (!strcmp(key, "runtime")) plan->is_launched = is_launcher(rest);
  else if (!strcmp(key, "end_runtime")) plan->ends_runtime = ends_runtime(rest);
  else if (!strcmp(key, "environment")) plan->environment = rest;
  else if (!strcmp(key, "id_base")) plan->id_base = number32(rest);
  else if (!strcmp(key, "uid")) plan->uid = number32(rest);
  else if (!strcmp(key, "gid")) plan->gid = number32(rest);
  else if (!strcmp(key, "grace_ms")) plan->grace_ms = number(rest);
  else if (!strcmp(key, "log_bytes")) plan->log_bytes = number(rest);
  else read_file_line(plan, key, rest);
}

void plan_read(struct plan *plan, int dir) {
  static char text[PLAN_BYTES];
  int file = openat(dir, "plan", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) shim_fail("plan_unreadable");
  ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0 || count == sizeof text - 1) shim_fail("plan_unreadable");
  char *rest = text, *line;
  while ((line = strsep(&rest, "\n")))
    if (*line) read_line(plan, line);
  bool complete = plan->id && plan->staging && plan->view && plan->status_descriptor && plan->procs && plan->id_base >= RANGE;
  if (plan->is_launched == (plan->word_count > 0)) shim_fail("plan_invalid");
  if (!complete || !plan->lower_count || !plan->collect_seconds) shim_fail("plan_invalid");
}
