/*
 * The exit record, a file with one JSON object. The shim creates the file while the runtime starts, fills it with spaces and syncs it. So
 * the final write flushes data and no metadata. A power cut during that write leaves invalid JSON, which counts as no record. With it the
 * shim syncs the start record that the agent wrote and the names of both, before it takes a start signal: a sandbox without
 * a file of its exit record was never started.
 * shim_fail() records that the start failed; outcome.c has the form of a record, and how a sandbox ended.
 */
#define _GNU_SOURCE
#include "shim/shim.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { RECORD_BYTES = 4096 };

static char record[RECORD_BYTES];

static int record_file(void) {
  static int file = -1;
  if (file < 0) file = openat(shim_folder, "exit.json", O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  return file;
}

static bool sync_named(const char *name, int flags) {
  int file = openat(shim_folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | flags);
  bool done = file >= 0 && !fsync(file);
  if (file >= 0) close(file);
  return done;
}

void record_reserve(void) {
  memset(record, ' ', sizeof record);
  if (pwrite(record_file(), record, sizeof record, 0) != sizeof record || fsync(record_file())) shim_fail("record_create");
  if (!sync_named("ticket.json", 0) || fsync(shim_folder) || !sync_named("..", O_DIRECTORY)) shim_fail("start_record");
}

void record_write(const struct outcome *outcome) {
  FILE *out = fmemopen(record, sizeof record, "w");
  if (!out) _exit(1);
  outcome_print(out, outcome);
  long bytes = ftell(out);
  if (fclose(out) || bytes >= RECORD_BYTES) _exit(1);
  memset(record + bytes, ' ', RECORD_BYTES - bytes);
  log_sync();
  if (pwrite(record_file(), record, RECORD_BYTES, 0) != RECORD_BYTES || fdatasync(record_file())) _exit(1);
}

_Noreturn void shim_exit(void) {
  clients_notify("ended\n");
  cgroups_remove(&shim_plan);
  _exit(0);
}

_Noreturn void shim_fail(const char *slug) {
  if (shim_plan.procs) cgroups_kill(&shim_plan);
  record_write(&(struct outcome){ "start_failed", -1, -1, slug });
  shim_exit();
}
