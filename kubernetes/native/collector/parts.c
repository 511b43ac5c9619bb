/* In the place of that which a shim has around the parts that the collector shares with it: no namespaces, mounts or control groups. */
#define _GNU_SOURCE
#include "collector/collector.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { START_FAILED_MS = 60000, FULL_BYTES = 256 * 1024 };

struct plan shim_plan;
struct collected shim_results;
struct job shim_job;
int shim_folder = -1;
pid_t collector_pid;

static _Noreturn void end_without_job(const char *cause, const char *slug) {
  if (!follow_until_ms) follow_until_ms = clock_ms(CLOCK_MONOTONIC) + START_FAILED_MS;
  record_write(&(struct outcome){ cause, -1, -1, slug });
  _exit(1);
}

_Noreturn void shim_fail(const char *slug) { end_without_job("start_failed", slug); }

_Noreturn void start_cut(void) { end_without_job("lost", "input_cut"); }

/* The child of a collector that is gone has another parent. */
bool shim_ends_caller(void) { return !prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) && getppid() == collector_pid; }

void shim_lower_priority(void) {}

/* The volume of the record has a size of its own, and nobody else's files. */
bool space_low(int file) {
  (void)file;
  return false;
}

bool space_short(int file) { return space_low(file); }

void space_flush(int file) { (void)file; }

void space_flush_slowly(int file) { (void)file; }

/* Only the cluster knows them. */
uint64_t cgroups_counter(const struct plan *plan, const char *name) {
  (void)plan, (void)name;
  return 0;
}

bool mounts_workspace_full(void) {
  struct statvfs space;
  if (statvfs("/workspace", &space)) return false;
  return space.f_bavail * space.f_frsize < FULL_BYTES || (space.f_files && !space.f_favail);
}

/* There is no runtime but the cluster's: process 1 of the job was not there, or ended before it said anything. */
const char *runtime_failure(int status) {
  (void)status;
  return "runtime";
}
