/*
 * The exit record, a file with one JSON object. The shim creates the file while the runtime starts, fills it with spaces and syncs it. So
 * the final write flushes data and no metadata. A power cut during that write leaves invalid JSON, which counts as no record. With it the
 * shim syncs the start record that the agent wrote and the names of both, before it takes a start signal: a sandbox without
 * a file of its exit record was never started.
 * shim_fail() records that the start failed, record_write_outcome() how the sandbox ended.
 */
#define _GNU_SOURCE
#include "shim/shim.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
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

static void write_tree(FILE *out, const char *name, const struct collected_tree *tree) {
  static const char *const words[] = { "absent", "collected", "rejected" };
  fprintf(out, ",\"%s\":{\"status\":\"%s\",\"reason\":\"%s\",\"path\":\"", name, words[tree->status % 3], tree->reason);
  for (const char *at = tree->path; *at; at++) fprintf(out, "%02x", (unsigned char)*at);
  fprintf(out, "\"}");
}

static void write_record(const char *cause, int exit_code, int signal_number, const char *detail) {
  static const char *const file_words[] = { "absent", "present", "too_large", "not_regular", "lost", "late" };
  FILE *out = fmemopen(record, sizeof record, "w");
  if (!out) _exit(1);
  fprintf(out, "{\"cause\":\"%s\",\"exitCode\":%d,\"signal\":%d,\"detail\":\"%s\",\"startedAtMs\":%llu,\"endedAtMs\":%llu",
          cause, exit_code, signal_number, detail, (unsigned long long)shim_job.released_ms, (unsigned long long)clock_ms(CLOCK_REALTIME));
  fprintf(out, ",\"oomKills\":%llu,\"pidsLimitHits\":%llu,\"peakMemoryBytes\":%llu,\"cpuMs\":%llu,\"workspaceFull\":%s",
          (unsigned long long)cgroups_counter(&shim_plan, "oom_kills"), (unsigned long long)cgroups_counter(&shim_plan, "pids_hits"),
          (unsigned long long)cgroups_counter(&shim_plan, "peak_memory"), (unsigned long long)(cgroups_counter(&shim_plan, "cpu_ms") - shim_job.released_cpu_ms),
          mounts_workspace_full() ? "true" : "false");
  fprintf(out, ",\"sharedMemoryFull\":%s", shim_job.shared_memory_full ? "true" : "false");
  struct traffic traffic;
  network_traffic(&traffic);
  fprintf(out, ",\"ingressBytes\":%llu,\"egressBytes\":%llu", (unsigned long long)traffic.in,
          (unsigned long long)traffic.out);
  fprintf(out, ",\"logTotalBytes\":%llu,\"logKeptBytes\":%llu,\"files\":[", (unsigned long long)log_total(),
          (unsigned long long)log_kept());
  for (int i = 0; i < shim_plan.file_count; i++)
    fprintf(out, "%s{\"status\":\"%s\",\"byteSize\":%llu}", i ? "," : "", file_words[shim_results.files[i].status % FILE_STATUSES],
            (unsigned long long)shim_results.files[i].size);
  fprintf(out, "]");
  write_tree(out, "tree", &shim_results.tree);
  write_tree(out, "folder", &shim_results.folder);
  fprintf(out, "}\n");
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
  write_record("start_failed", -1, -1, slug);
  shim_exit();
}

static const char *start_error_slug(void) {
  if (!shim_job.failed_to_start) return runtime_failure(shim_job.runtime_status);
  switch (shim_job.start_error) {
  case ENOENT: return "command_not_found";
  case EACCES: return "command_not_executable";
  case ENOEXEC: return "command_not_executable";
  case E2BIG: return "command_too_long";
  /* Process 1 reports this if it has no filter of system calls. A program that cannot be executed never fails with it. */
  case EPROTO: return "filter";
  default: return "command";
  }
}

/* A sandbox also ends if its traffic cannot be counted. That is no fault of the program. */
static void write_network_end(bool all_dead) {
  struct traffic traffic;
  if (network_traffic(&traffic)) write_record("egress_cap", -1, -1, all_dead ? "" : "process_left");
  else write_record("lost", -1, -1, "network_counters");
}

void record_write_outcome(bool all_dead) {
  bool out_of_memory = cgroups_counter(&shim_plan, "oom_kills") > 0;
  int status = shim_job.program_status;
  if (shim_job.end == END_STOPPED) write_record("stopped", -1, -1, all_dead ? "" : "process_left");
  else if (shim_job.end == END_DEADLINE) write_record("deadline", -1, -1, all_dead ? "" : "process_left");
  else if (shim_job.end == END_EGRESS_CAP || (shim_job.end == END_SELF && shim_job.released_ms && network_over_cap(&shim_plan)))
    write_network_end(all_dead);
  else if (shim_job.end == END_NOT_WANTED) write_record("start_failed", -1, -1, "agent_gone");
  else if (shim_job.end == END_INPUT_CUT) write_record("lost", -1, -1, "input_cut");
  else if (shim_job.end == END_DISK_LOW) write_record("lost", -1, -1, "disk_space_low");
  else if (shim_job.reported && WIFEXITED(status) && WEXITSTATUS(status) == 0) write_record("exited", 0, -1, "");
  else if (out_of_memory) write_record("out_of_memory", -1, -1, "");
  else if (!shim_job.started) write_record("start_failed", -1, -1, start_error_slug());
  else if (!shim_job.reported) write_record("signalled", -1, SIGKILL, "");
  else if (WIFEXITED(status)) write_record("exited", WEXITSTATUS(status), -1, "");
  else write_record("signalled", -1, WTERMSIG(status), "");
}

