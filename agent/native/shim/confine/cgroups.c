/*
 * Control groups as the plan lists them: folders to make, values to set (each with the slug that names it when
 * the kernel refuses), counters to read at the end. The plan hides whether the machine has version 1 or 2.
 */
#define _GNU_SOURCE
#include "shim/shim.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { KILL_ROUNDS = 2000, NAP_NS = 2000000, REMOVE_ROUNDS = 500 };

static bool put(int file, const char *text) { return write(file, text, strlen(text)) == (ssize_t)strlen(text); }

static bool write_text(const char *path, const char *text) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  bool written = file >= 0 && put(file, text);
  if (file >= 0) close(file);
  return written;
}

static void nap(void) {
  struct timespec pause = { .tv_nsec = NAP_NS };
  nanosleep(&pause, NULL);
}

void cgroups_make(const struct plan *plan) {
  for (int i = 0; i < plan->cgroup_count; i++)
    if (mkdir(plan->cgroups[i], 0700) && errno != EEXIST) shim_fail("cgroup_create");
  if (plan->shown_cgroup && chmod(plan->shown_cgroup, 0755)) shim_fail("cgroup_create");
  /* Several settings may go to one file, such as the devices of version 1. */
  const char *path = "";
  int file = -1;
  for (int i = 0; i < plan->setting_count; i++) {
    if (strcmp(plan->settings[i].path, path)) {
      if (file >= 0) close(file);
      path = plan->settings[i].path;
      file = open(path, O_WRONLY | O_CLOEXEC);
    }
    if (file < 0 || !put(file, plan->settings[i].value)) shim_fail(plan->settings[i].slug);
  }
  if (file >= 0) close(file);
}

bool cgroups_enter(const struct plan *plan) {
  char path[4096];
  /* Where the machine itself runs out of memory, sandboxes go before the service. A child inherits it. */
  if (!write_text("/proc/self/oom_score_adj", "1000")) return false;
  for (int i = 0; i < plan->cgroup_count; i++) {
    /* Version 1 moves a thread that asks for itself without the kernel's global lock, which costs 4 ms a group. */
    snprintf(path, sizeof path, "%s/tasks", plan->cgroups[i]);
    if (write_text(path, "0")) continue;
    snprintf(path, sizeof path, "%s/cgroup.procs", plan->cgroups[i]);
    if (!write_text(path, "0")) return false;
  }
  return true;
}

uint64_t cgroups_counter(const struct plan *plan, const char *name) {
  for (int i = 0; i < plan->counter_count; i++) {
    if (strcmp(plan->counters[i].name, name)) continue;
    FILE *file = fopen(plan->counters[i].path, "re");
    if (!file) return 0;
    char line[256], key[128];
    unsigned long long value, found = 0;
    while (fgets(line, sizeof line, file)) {
      if (!strcmp(plan->counters[i].key, "-")) found = strtoull(line, NULL, 10);
      else if (sscanf(line, "%127s %llu", key, &value) == 2 && !strcmp(key, plan->counters[i].key)) found = value;
    }
    fclose(file);
    return found / plan->counters[i].divisor;
  }
  return 0;
}

/* True when process `pid` is in this sandbox's groups: guards against an id that was used again meanwhile. */
static bool belongs(const struct plan *plan, pid_t pid) {
  char path[64], line[4096], tail[160];
  snprintf(path, sizeof path, "/proc/%d/cgroup", pid);
  snprintf(tail, sizeof tail, "/%s\n", plan->id);
  FILE *file = fopen(path, "re");
  bool found = false;
  if (!file) return false;
  while (!found && fgets(line, sizeof line, file)) {
    size_t length = strlen(line), wanted = strlen(tail);
    found = length >= wanted && !strcmp(line + length - wanted, tail);
  }
  fclose(file);
  return found;
}

bool cgroups_kill(const struct plan *plan) {
  for (int round = 0; round < KILL_ROUNDS; round++) {
    FILE *procs = fopen(plan->procs, "re");
    if (!procs) return true;
    int pid, count = 0;
    while (fscanf(procs, "%d", &pid) == 1) {
      count++;
      int handle = (int)syscall(SYS_pidfd_open, pid, 0);
      if (handle < 0) continue;
      if (belongs(plan, pid)) syscall(SYS_pidfd_send_signal, handle, SIGKILL, NULL, 0);
      close(handle);
    }
    fclose(procs);
    if (!count) return true;
    nap();
  }
  return false;
}

void cgroups_remove(const struct plan *plan) {
  for (int i = 0; i < plan->cgroup_count; i++)
    for (int round = 0; round < REMOVE_ROUNDS && rmdir(plan->cgroups[i]) && errno == EBUSY; round++) nap();
}
