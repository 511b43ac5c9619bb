/* The results of a job: copied as on a host, once no process of it lives, and sent to the gateway. */
#define _GNU_SOURCE
#include "collector/collector.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RING_START = 8 };

static int opened(const char *name) { return openat(shim_folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW); }

static void add(struct request *request, int file, uint64_t from, uint64_t size) {
  if (size) request->parts[request->part_count++] = (struct part){ file, from, size };
}

void results_log(uint64_t from, uint64_t to, struct request *request) {
  static int head = -1, tail = -1;
  uint64_t head_limit = shim_plan.log_bytes / 2, tail_limit = shim_plan.log_bytes - head_limit;
  if (head < 0) head = opened("log.head");
  if (tail < 0) tail = opened("log.tail");
  if (from < head_limit) add(request, head, from, (to < head_limit ? to : head_limit) - from);
  if (to <= head_limit) return;
  /* The ring has the newest bytes. */
  uint64_t first = from > head_limit ? from : head_limit;
  if (to - first > tail_limit) first = to - tail_limit;
  uint64_t at = (first - head_limit) % tail_limit, size = to - first, until_end = tail_limit - at;
  add(request, tail, RING_START + at, size < until_end ? size : until_end);
  if (size > until_end) add(request, tail, RING_START, size - until_end);
}

void results_collect(void) {
  int workspace = open("/workspace", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (workspace >= 0) collect_results(&shim_plan, shim_folder, workspace, &shim_results);
}

/* Whether the gateway has it now. */
static bool send_all(const struct request *request) {
  errand_begin(&gateway_uploads, request);
  int status = errand_finish(&gateway_uploads, follow_until_ms);
  /* The run has another end, or the credential is not valid any more. */
  if (status == 409 || status == 401) _exit(0);
  return status == 200;
}

static bool send_file(const char *path, const char *name) {
  struct stat found;
  struct request request = gateway_request("PUT", path);
  int file = opened(name);
  if (file < 0 || fstat(file, &found)) return false;
  add(&request, file, 0, (uint64_t)found.st_size);
  bool sent = send_all(&request);
  close(file);
  return sent;
}

static void refuse_unsent(struct collected_tree *tree) {
  tree->status = TREE_REJECTED;
  strcpy(tree->reason, "storage");
}

void results_upload(void) {
  if (log_total()) {
    struct request whole = gateway_request("PUT", "log");
    results_log(0, log_total(), &whole);
    send_all(&whole);
  }
  for (int i = 0; i < shim_plan.file_count; i++) {
    char path[32], name[32];
    if (shim_results.files[i].status != FILE_PRESENT) continue;
    snprintf(path, sizeof path, "files/%d", i);
    snprintf(name, sizeof name, "result.%d", i);
    if (!send_file(path, name)) shim_results.files[i].status = FILE_LOST;
  }
  if (shim_results.tree.status == TREE_COLLECTED && !(send_file("tree", "tree.data") && send_file("tree-index", "tree.index")))
    refuse_unsent(&shim_results.tree);
  if (shim_results.folder.status == TREE_COLLECTED && !send_file("folder", "folder.data")) refuse_unsent(&shim_results.folder);
}

static _Noreturn void finish(const struct outcome *outcome) {
  static char record[ANSWER_BYTES];
  FILE *out = fmemopen(record, sizeof record, "w");
  if (!out) _exit(1);
  outcome_print(out, outcome);
  long bytes = ftell(out);
  if (fclose(out) || bytes <= 0 || bytes >= (long)sizeof record) _exit(1);
  struct request request = gateway_request("POST", "exit");
  request.bytes = record;
  request.byte_count = (size_t)bytes;
  _exit(send_all(&request) ? 0 : 1);
}

void record_write(const struct outcome *outcome) { finish(outcome); }
