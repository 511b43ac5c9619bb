/*
 * The second container of a pod. It holds what the job must not have: the pod's token, the credential of the run, the values of
 * secrets that the log masks. It shares the network, the workspace and the user with the job, and no process sees one of the other container.
 *
 * Steps, in this order:
 *   1. nobody reads its memory; the pod has users of its own, and the network policies are in force, or the start is forbidden
 *   2. listen for process 1 of the job (peer.c); take the pod's one start at the gateway (gateway.c)
 *   3. read the plan, the program and the values to mask (start.c); take the connections of process 1 and close the listener, which
 *      is before anything of the job runs
 *   4. serve the job until its last process is gone (follow.c)
 *   5. copy the results (shim/collect), send them and the log (results.c), and last the exit record
 *
 * A collector that was started again has another credential and is refused in step 2.
 */
#define _GNU_SOURCE
#include "collector/collector.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/host-ids.h"

enum { INPUT_MS = 30000 };

/* The pod has the name of the run, with hyphens. */
static char *pod_name(const char *id) {
  char *name = id ? strdup(id) : NULL;
  for (char *at = name; at && (at = strchr(at, '_')); at++) *at = '-';
  return name;
}

static const char *setting(const char *name) {
  const char *value = getenv(name);
  if (!value || !*value) _exit(2);
  return value;
}

static void check_pod(const struct target *gateway) {
  struct target port;
  if (!strcmp(setting("SANDBOX_BOUNDARY"), "user_namespace") && has_host_ids()) gateway_refuse("host_users");
  if (!target_parse(setting("SANDBOX_CANARY"), &port)) _exit(2);
  struct canary seen = canary_watch(gateway, &port);
  if (seen.blocked) return;
  /* Where the gateway is not reached either, nothing can be said, and nothing starts. */
  if (seen.gateway_ms < 0) _exit(1);
  gateway_refuse("network_rules");
}

static void open_input(struct exchange *input) {
  static struct request request;
  request = gateway_request("GET", "input");
  request.streams = true;
  exchange_begin(input, &request);
  for (uint64_t until = clock_ms(CLOCK_MONOTONIC) + INPUT_MS; input->state != EXCHANGE_DONE;) {
    uint64_t now = clock_ms(CLOCK_MONOTONIC);
    struct pollfd wait = { .fd = input->socket, .events = input->events };
    if (input->state == EXCHANGE_BROKEN || now >= until) start_cut();
    poll(&wait, 1, (int)(until - now));
    exchange_step(input);
  }
  if (input->status != 200) start_cut();
}

int main(void) {
  static struct exchange input;
  struct target gateway;
  signal(SIGPIPE, SIG_IGN);
  umask(0077);
  collector_pid = getpid();
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)) return 2;
  shim_folder = open("/record", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (shim_folder < 0 || !target_parse(setting("SANDBOX_GATEWAY"), &gateway)) return 2;
  if (!exchange_prepare(&gateway, setting("SANDBOX_GATEWAY_AUTHORITY"), pod_name(setting("SANDBOX_ID")))) return 2;
  check_pod(&gateway);
  peer_listen();
  gateway_redeem();
  open_input(&input);
  start_read(&input);
  shim_plan.uid = getuid();
  shim_plan.gid = getgid();
  log_limit(shim_plan.log_bytes);
  peer_accept();
  meter_start();
  peer_launch();
  bool all_dead = follow_job(&input);
  if (shim_job.started && all_dead) results_collect();
  results_upload();
  outcome_record(all_dead);
}
