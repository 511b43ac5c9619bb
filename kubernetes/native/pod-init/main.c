/*
 * Process 1 of a job's container in a pod. It uses nothing that it has from the kubelet or from the image's configuration: the
 * collector, in another container of the pod, says over the loopback what to start (common/loopback.h). It runs with the program's rights
 * and is trusted no more than the program.
 *
 * The program has pipes, as it has on a host, and never a connection to the collector: process 1 passes the bytes on.
 *
 * When the program has ended, process 1 kills and reaps all others before it says so, because the collector then reads what they wrote. When
 * the collector is gone, process 1 exits, and the kernel kills all.
 */
#define _GNU_SOURCE
#include "pod-init/pod-init.h"

#include "init/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct relay input, output;

/* Gives the program's descriptors 0 to 2 their other ends. */
static bool make_pipes(const struct connections *connections) {
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) return false;
  if (dup2(in[0], 0) < 0 || dup2(out[1], 1) < 0 || dup2(out[1], 2) < 0) return false;
  close(in[0]);
  close(out[1]);
  input = (struct relay){ .from = connections->input, .to = in[1] };
  output = (struct relay){ .from = out[0], .to = connections->log };
  int nonblocking[] = { input.from, input.to, output.from, output.to };
  for (size_t i = 0; i < sizeof nonblocking / sizeof *nonblocking; i++)
    if (fcntl(nonblocking[i], F_SETFL, O_NONBLOCK)) return false;
  return true;
}

/* A process that forks while it is killed leaves no child: the kernel refuses the fork. */
static void kill_all(void) {
  kill(-1, SIGKILL);
  while (waitpid(-1, NULL, 0) > 0 || errno == EINTR) continue;
}

static int follow(int control) {
  for (struct program_end end = { 0 };;) {
    enum { SIGNALS, CONTROL, INPUT, OUTPUT = INPUT + 2, COUNT = OUTPUT + 2 };
    struct pollfd waits[COUNT] = { [SIGNALS] = { .fd = program_signals(), .events = POLLIN }, [CONTROL] = { .fd = control, .events = POLLIN } };
    relay_watch(&input, waits + INPUT);
    relay_watch(&output, waits + OUTPUT);
    if (poll(waits, COUNT, -1) < 0 && errno != EINTR) return 1;
    if (waits[CONTROL].revents && !program_pass_on()) return 1;
    relay_step(&input);
    relay_step(&output);
    if (!program_has_ended(&end)) continue;
    kill_all();
    relay_finish(&output);
    program_report_end(&end);
    program_report('E', 0);
    return 0;
  }
}

int main(void) {
  struct connections connections;
  signal(SIGPIPE, SIG_IGN);
  umask(022);
  /* Variables of the kubelet name the cluster's API server, and those of the image come from a tenant. */
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) || clearenv()) return 1;
  if (!connections_open(&connections) || !program_prepare(connections.control)) return 1;
  char **words = launch_take(connections.control);
  if (!words) return 1;
  if (chdir("/workspace") || !make_pipes(&connections) || !confine()) {
    program_report('F', EPROTO);
    return 1;
  }
  program_report('U', 0);
  if (!program_start(words)) return 1;
  /* The program's end of its log is the last one. */
  close(1);
  close(2);
  return follow(connections.control);
}
