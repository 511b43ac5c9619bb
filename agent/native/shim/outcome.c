/* The form of an exit record, and how a sandbox ended. */
#define _GNU_SOURCE
#include "shim/shim.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

static void write_tree(FILE *out, const char *name, const struct collected_tree *tree) {
  static const char *const words[] = { "absent", "collected", "rejected" };
  fprintf(out, ",\"%s\":{\"status\":\"%s\",\"reason\":\"%s\",\"path\":\"", name, words[tree->status % 3], tree->reason);
  for (const char *at = tree->path; *at; at++) fprintf(out, "%02x", (unsigned char)*at);
  fprintf(out, "\"}");
}

void outcome_print(FILE *out, const struct outcome *outcome) {
  static const char *const file_words[] = { "absent", "present", "too_large", "not_regular", "lost", "late" };
  fprintf(out, "{\"cause\":\"%s\",\"exitCode\":%d,\"signal\":%d,\"detail\":\"%s\",\"startedAtMs\":%llu,\"endedAtMs\":%llu",
          outcome->cause, outcome->exit_code, outcome->signal_number, outcome->detail, (unsigned long long)shim_job.released_ms, (unsigned long long)clock_ms(CLOCK_REALTIME));
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
}

static void record_end(const char *cause, int exit_code, int signal_number, const char *detail) {
  record_write(&(struct outcome){ cause, exit_code, signal_number, detail });
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
  if (network_traffic(&traffic)) record_end("egress_cap", -1, -1, all_dead ? "" : "process_left");
  else record_end("lost", -1, -1, "network_counters");
}

void outcome_record(bool all_dead) {
  bool out_of_memory = cgroups_counter(&shim_plan, "oom_kills") > 0;
  int status = shim_job.program_status;
  if (shim_job.end == END_STOPPED) record_end("stopped", -1, -1, all_dead ? "" : "process_left");
  else if (shim_job.end == END_DEADLINE) record_end("deadline", -1, -1, all_dead ? "" : "process_left");
  else if (shim_job.end == END_EGRESS_CAP || (shim_job.end == END_SELF && shim_job.released_ms && network_over_cap(&shim_plan)))
    write_network_end(all_dead);
  else if (shim_job.end == END_NOT_WANTED) record_end("start_failed", -1, -1, "agent_gone");
  else if (shim_job.end == END_INPUT_CUT) record_end("lost", -1, -1, "input_cut");
  else if (shim_job.end == END_DISK_LOW) record_end("lost", -1, -1, "disk_space_low");
  else if (shim_job.reported && WIFEXITED(status) && WEXITSTATUS(status) == 0) record_end("exited", 0, -1, "");
  else if (out_of_memory) record_end("out_of_memory", -1, -1, "");
  else if (!shim_job.started) record_end("start_failed", -1, -1, start_error_slug());
  else if (!shim_job.reported) record_end("signalled", -1, SIGKILL, "");
  else if (WIFEXITED(status)) record_end("exited", WEXITSTATUS(status), -1, "");
  else record_end("signalled", -1, WTERMSIG(status), "");
}

