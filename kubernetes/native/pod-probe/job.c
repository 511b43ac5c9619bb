#define _GNU_SOURCE
#include "pod-probe/probe.h"

#include "common/host-ids.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Twice the workspace of a check. */
enum { BEYOND_WORKSPACE = 32 << 20 };

static bool has_status(const char *line) {
  char text[8192];
  return read_small("/proc/self/status", text, sizeof text) && strstr(text, line);
}

static bool can_write(const char *path) {
  int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return false;
  close(file);
  return true;
}

/* A full workspace is an error of the program: it evicts no pod and takes nothing more from the node. */
static bool is_bounded(void) {
  static const char part[1 << 16];
  int file = open("/workspace/filler", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return false;
  ssize_t count = 0;
  for (int written = 0; written < BEYOND_WORKSPACE && (count = write(file, part, sizeof part)) > 0; written += (int)count)
    ;
  bool full = count < 0 && errno == ENOSPC;
  close(file);
  return !unlink("/workspace/filler") && full;
}

int probe_job(void) {
  int open_to = 0;
  if (has_host_ids()) open_to |= HOST_IDS;
  if (!has_status("\nCapEff:\t0000000000000000\n") || !has_status("\nCapBnd:\t0000000000000000\n"))
    open_to |= CAPABILITIES;
  /* The status of gVisor has no line for it. */
  if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) open_to |= CAPABILITIES;
  if (!has_status("\nSeccomp:\t2\n")) open_to |= FILTER;
  if (can_write("/written") || can_write("/.sandbox/written")) open_to |= ROOT_WRITABLE;
  if (!is_bounded() || !can_write("/tmp/written") || !can_write("/var/tmp/written")) open_to |= WORKSPACE;
  if (can_write("/.sandbox/closed/message")) open_to |= MESSAGE;
  if (!access("/token/token", F_OK) || !access("/var/run/secrets/kubernetes.io", F_OK)) open_to |= TOKEN;
  return open_to;
}
