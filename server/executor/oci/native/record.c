/*
 * The exit record, a sandbox's last word. Its file is made and synced while the runtime starts, full of spaces, so that the
 * last word costs one flush of data and no work of the file system. A power cut while it is written leaves what is no JSON,
 * which is no record. "We failed" and "their program failed" are two paths: fail() writes the first, conclude() the second.
 */
#define _GNU_SOURCE
#include "shim.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

uint64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1000ull + now.tv_nsec / 1000000;
}

enum { RECORD_BYTES = 4096 };

static char record[RECORD_BYTES];

static int record_file(void) {
  static int file = -1;
  if (file < 0) file = openat(sandbox_dir, "exit.json", O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  return file;
}

void record_reserve(void) {
  memset(record, ' ', sizeof record);
  if (pwrite(record_file(), record, sizeof record, 0) != sizeof record || fsync(record_file()) || fsync(sandbox_dir))
    fail("record_create");
}

static void write_record(const char *cause, int exit_code, int signal_number, const char *detail) {
  static const char *const file_words[] = { "absent", "present", "too_large", "not_regular", "lost" };
  static const char *const tree_words[] = { "absent", "collected", "rejected" };
  FILE *out = fmemopen(record, sizeof record, "w");
  if (!out) _exit(1);
  fprintf(out, "{\"cause\":\"%s\",\"exitCode\":%d,\"signal\":%d,\"detail\":\"%s\",\"startedAtMs\":%llu,\"endedAtMs\":%llu",
          cause, exit_code, signal_number, detail, (unsigned long long)job.begun_ms, (unsigned long long)now_ms());
  fprintf(out, ",\"oomKills\":%llu,\"pidsLimitHits\":%llu,\"peakMemoryBytes\":%llu,\"cpuMs\":%llu,\"workspaceFull\":%s",
          (unsigned long long)cgroups_counter(&plan, "oom_kills"), (unsigned long long)cgroups_counter(&plan, "pids_hits"),
          (unsigned long long)cgroups_counter(&plan, "peak_memory"), (unsigned long long)(cgroups_counter(&plan, "cpu_ms") - job.begun_cpu_ms),
          mounts_workspace_full() ? "true" : "false");
  struct traffic traffic;
  network_traffic(&traffic);
  fprintf(out, ",\"ingressBytes\":%llu,\"egressBytes\":%llu", (unsigned long long)traffic.in,
          (unsigned long long)traffic.out);
  fprintf(out, ",\"logTotalBytes\":%llu,\"logKeptBytes\":%llu,\"files\":[", (unsigned long long)log_total(),
          (unsigned long long)log_kept());
  for (int i = 0; i < plan.file_count; i++)
    fprintf(out, "%s{\"status\":\"%s\",\"byteSize\":%llu}", i ? "," : "", file_words[results.files[i].status % FILE_STATUSES],
            (unsigned long long)results.files[i].size);
  fprintf(out, "],\"tree\":{\"status\":\"%s\",\"reason\":\"%s\"}}\n", tree_words[results.tree_status % 3],
          results.tree_reason);
  long bytes = ftell(out);
  if (fclose(out) || bytes >= RECORD_BYTES) _exit(1);
  memset(record + bytes, ' ', RECORD_BYTES - bytes);
  log_sync();
  if (pwrite(record_file(), record, RECORD_BYTES, 0) != RECORD_BYTES || fdatasync(record_file())) _exit(1);
}

/* Leaves nothing behind but the record. */
_Noreturn void finish(void) {
  clients_tell("ended\n");
  cgroups_remove(&plan);
  _exit(0);
}

_Noreturn void fail(const char *slug) {
  if (plan.procs) cgroups_kill(&plan);
  write_record("start_failed", -1, -1, slug);
  finish();
}

static const char *start_error_slug(void) {
  if (!job.failed_to_start) return runtime_failure(job.runtime_status);
  switch (job.start_error) {
  case ENOENT: return "command_not_found";
  case EACCES: return "command_not_executable";
  case ENOEXEC: return "command_not_executable";
  case E2BIG: return "command_too_long";
  default: return "command";
  }
}

/* What cannot be counted ends too, and is not the program's fault. */
static void end_by_network(bool all_dead) {
  struct traffic traffic;
  if (network_traffic(&traffic)) write_record("egress_cap", -1, -1, all_dead ? "" : "process_left");
  else write_record("lost", -1, -1, "network_counters");
}

void conclude(bool all_dead) {
  bool out_of_memory = cgroups_counter(&plan, "oom_kills") > 0;
  int status = job.program_status;
  if (job.end == END_STOPPED) write_record("stopped", -1, -1, all_dead ? "" : "process_left");
  else if (job.end == END_DEADLINE) write_record("deadline", -1, -1, all_dead ? "" : "process_left");
  else if (job.end == END_EGRESS_CAP || (job.end == END_SELF && job.begun_ms && network_over_cap(&plan)))
    end_by_network(all_dead);
  else if (job.end == END_NOT_WANTED) write_record("start_failed", -1, -1, "agent_gone");
  else if (job.end == END_INPUT_CUT) write_record("lost", -1, -1, "input_cut");
  else if (job.end == END_DISK_LOW) write_record("lost", -1, -1, "disk_space_low");
  else if (job.reported && WIFEXITED(status) && WEXITSTATUS(status) == 0) write_record("exited", 0, -1, "");
  else if (out_of_memory) write_record("out_of_memory", -1, -1, "");
  else if (!job.started) write_record("start_failed", -1, -1, start_error_slug());
  else if (!job.reported) write_record("signalled", -1, SIGKILL, "");
  else if (WIFEXITED(status)) write_record("exited", WEXITSTATUS(status), -1, "");
  else write_record("signalled", -1, WTERMSIG(status), "");
}

