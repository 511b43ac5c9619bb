/* The head of the input: the plan, the program, known contents, and the values to mask. */
#define _GNU_SOURCE
#include "collector/collector.h"

#include <endian.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLAN_BYTES = 65536, PROGRAM_BYTES = 4 << 20, KNOWN_BYTES = 5 << 18 };

char *start_program;
uint32_t start_program_bytes;
struct launch_limits start_limits;
uint64_t start_timeout_ms;

static void receive(struct exchange *input, void *to, size_t size) {
  for (size_t have = 0; have < size;) {
    ssize_t count = exchange_read(input, (char *)to + have, size - have);
    struct pollfd wait = { .fd = input->socket, .events = POLLIN };
    if (count < 0 || (!count && poll(&wait, 1, 30000) != 1)) start_cut();
    have += (size_t)count;
  }
}

static uint32_t receive_size(struct exchange *input, uint32_t limit) {
  uint32_t size;
  receive(input, &size, sizeof size);
  size = le32toh(size);
  if (size > limit) shim_fail("plan_unreadable");
  return size;
}

static uint64_t number(char **rest) {
  char *field = strsep(rest, " "), *end;
  unsigned long long value = field ? strtoull(field, &end, 10) : 0;
  if (!field || end == field || *end) shim_fail("plan_invalid");
  return value;
}

static struct tree_plan tree_of(char *rest) {
  struct tree_plan tree;
  tree.max_files = number(&rest);
  tree.max_bytes = number(&rest);
  tree.max_path = number(&rest);
  tree.max_name = number(&rest);
  tree.path = rest;
  if (!rest) shim_fail("plan_invalid");
  return tree;
}

static void read_line(char *line) {
  struct plan *plan = &shim_plan;
  char *rest = line;
  const char *key = strsep(&rest, " ");
  if (!rest) shim_fail("plan_invalid");
  if (!strcmp(key, "log_bytes")) plan->log_bytes = number(&rest);
  else if (!strcmp(key, "grace_ms")) plan->grace_ms = number(&rest);
  else if (!strcmp(key, "open_files")) start_limits.open_files = (uint32_t)number(&rest);
  else if (!strcmp(key, "pids")) start_limits.processes = (uint32_t)number(&rest);
  else if (!strcmp(key, "collect_seconds")) plan->collect_seconds = (uint32_t)number(&rest);
  else if (!strcmp(key, "egress_cap")) {
    plan->network.path = "";
    plan->network.egress_cap = number(&rest);
  } else if (!strcmp(key, "ingress_cap")) {
    plan->network.has_ingress_cap = true;
    plan->network.ingress_cap = number(&rest);
  } else if (!strcmp(key, "collect_file") && plan->file_count < MAX_FILES) {
    plan->files[plan->file_count].max_bytes = number(&rest);
    plan->files[plan->file_count++].path = rest ? rest : "";
  } else if (!strcmp(key, "collect_tree")) {
    plan->has_tree = true;
    plan->tree = tree_of(rest);
  } else if (!strcmp(key, "collect_folder")) {
    plan->has_folder = true;
    plan->folder = tree_of(rest);
  } else shim_fail("plan_invalid");
}

static void read_plan(struct exchange *input) {
  static char text[PLAN_BYTES + 1];
  receive(input, text, receive_size(input, PLAN_BYTES));
  char *rest = text, *line;
  while ((line = strsep(&rest, "\n")))
    if (*line) read_line(line);
  bool is_whole = shim_plan.collect_seconds && start_limits.open_files && start_limits.processes;
  if (!is_whole) shim_fail("plan_invalid");
}

/* As the shim has them, in a file that the copy of results reads (known.c). */
static void keep_known(struct exchange *input) {
  char piece[4096];
  uint32_t left = receive_size(input, KNOWN_BYTES);
  int file = left ? openat(shim_folder, "folder.known", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
  if (left && file < 0) shim_fail("record_create");
  while (left) {
    uint32_t count = left < sizeof piece ? left : sizeof piece;
    receive(input, piece, count);
    if (write(file, piece, count) != (ssize_t)count) shim_fail("record_create");
    left -= count;
  }
  if (file >= 0) close(file);
}

static void take_values(struct exchange *input) {
  static uint8_t values[MASK_ALL_BYTES];
  uint32_t sizes[MASK_VALUES], count = receive_size(input, MASK_VALUES), all = 0;
  for (uint32_t i = 0; i < count; all += sizes[i++]) {
    sizes[i] = receive_size(input, MASK_VALUE_BYTES);
    if (sizes[i] < MASK_PIECE_MIN || sizes[i] > MASK_ALL_BYTES - all) shim_fail("mask_length");
    receive(input, values + all, sizes[i]);
  }
  mask_set_values(values, sizes, count);
}

void start_read(struct exchange *input) {
  read_plan(input);
  start_program_bytes = receive_size(input, PROGRAM_BYTES);
  start_program = malloc(start_program_bytes);
  if (!start_program) shim_fail("plan_unreadable");
  receive(input, start_program, start_program_bytes);
  keep_known(input);
  receive(input, &start_timeout_ms, sizeof start_timeout_ms);
  start_timeout_ms = le64toh(start_timeout_ms);
  take_values(input);
}
