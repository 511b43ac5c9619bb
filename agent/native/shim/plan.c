/*
 * Reads the plan and the launcher's description, which the agent sends on descriptor 0 before anything else: each is 4 bytes of
 * length, little endian, and then the bytes. The plan is one `key value...` per line. The agent is trusted and has refused line
 * breaks in every value, so the last field of a line may hold spaces. Other runtimes have no description.
 */
#define _GNU_SOURCE
#include "shim/shim.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLAN_BYTES = 65536 };
static const uint32_t DESCRIPTION_BYTES = 64 << 20;

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

/* An agent that died while it sent the plan sends no start signal either. */
static void receive(void *to, size_t size) {
  for (size_t have = 0; have < size;) {
    ssize_t count = read(0, (char *)to + have, size - have);
    if (count <= 0) shim_fail(count ? "plan_unreadable" : "agent_gone");
    have += (size_t)count;
  }
}

static uint32_t receive_size(uint32_t limit) {
  uint32_t size;
  receive(&size, sizeof size);
  size = le32toh(size);
  if (size > limit) shim_fail("plan_unreadable");
  return size;
}

void plan_read(struct plan *plan) {
  static char text[PLAN_BYTES];
  receive(text, receive_size(sizeof text - 1));
  plan->description_bytes = receive_size(DESCRIPTION_BYTES);
  plan->description = malloc(plan->description_bytes + 1);
  if (!plan->description) shim_fail("plan_unreadable");
  receive(plan->description, plan->description_bytes);
  char *rest = text, *line;
  while ((line = strsep(&rest, "\n")))
    if (*line) read_line(plan, line);
  bool complete = plan->id && plan->staging && plan->view && plan->status_descriptor && plan->procs && plan->id_base >= RANGE;
  if (plan->is_launched == (plan->word_count > 0)) shim_fail("plan_invalid");
  if (!complete || !plan->lower_count || !plan->collect_seconds) shim_fail("plan_invalid");
}
