/*
 * The keeper of one sandbox. The host agent starts one shim per sandbox, as root, in a session of its own, and
 * may die or restart at any time: the shim needs nobody.
 *
 *   agent --(frames on descriptor 0)--> shim --(pipe)--> program
 *   agent <--(lines on descriptor 1, and on every connection to ctl)-- shim <--(pipe: log)-- program
 *
 * It works in the sandbox's own folder (argv[1], entered before anything else) and reads `plan` there: plain
 * lines that only the agent can have written. Nothing that a tenant wrote is ever parsed here; what a program
 * leaves behind is looked at only by a child that has given up root (collect.c).
 *
 * Steps, in this order, each failing closed with a slug of its own as the record's detail:
 *   1. read the plan (plan.c), listen on ctl (clients.c)
 *   2. make the control groups with every limit of the plan (cgroups.c, devices.c), take the prepared network link
 *      (network.c)
 *   3. make the file systems in a private mount namespace (mounts.c)
 *   4. start the runtime inside the control groups (runtime.c); it leaves process 1 of the sandbox, which waits (init.c)
 *   5. serve until nothing of the sandbox is left: when the agent gives its word (input.c) the program starts; input, log
 *      (mask.c, log.c), deadline, commands
 *   6. kill what is left, tell the cause, collect results (collect.c)
 *   7. write the exit record (record.c)
 *   8. remove the control groups and exit; the mounts vanish with the namespace
 *
 * A shim that dies takes its sandbox along: init.c sees the status pipe close.
 */
#define _GNU_SOURCE
#include "shim.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DRAIN_BYTES = 1 << 22 };
enum { LOG_BURST_MS = 2000, LOG_PART = 4, LOG_REST_MS = 10, LOG_POLITE_MS = 200 };
/* How often a sandbox that writes to the host's disk has that disk looked at. */
enum { DISK_LOOK_MS = 100 };

struct plan plan;
struct collected results;
struct job job = { .log = -1, .status = -1, .input = -1, .timer = -1, .meter = -1, .signals = -1 };
int sandbox_dir = -1;

/* The agent gives its word once its own record of the start is on disk. */
void begin(uint64_t timeout_ms) {
  struct itimerspec when = { .it_value = { .tv_sec = timeout_ms / 1000, .tv_nsec = (timeout_ms % 1000) * 1000000 } };
  job.timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  if (!timeout_ms || job.timer < 0 || timerfd_settime(job.timer, 0, &when, NULL)) fail("deadline");
  job.meter = network_meter();
  job.begun_cpu_ms = cgroups_counter(&plan, "cpu_ms");
  job.begun_ms = now_ms();
  /* Process 1 may have ended before: then so has the sandbox. */
  if (write(job.input, "S", 1) < 0 && errno != EPIPE) fail("pipe");
}

void end_by(enum end end) {
  if (job.reported || job.end != END_SELF) return;
  job.end = end;
  /* The runtime first, and once more after it has ended: it may be about to enter the groups, or to fork. */
  if (job.runtime) kill(job.runtime, SIGKILL);
  cgroups_kill(&plan);
}

/* False when nothing more will come. */
static bool read_log(void) {
  static char buffer[LOG_CHUNK_BYTES];
  ssize_t count = read(job.log, buffer, sizeof buffer);
  if (count > 0) log_append_masked(buffer, count);
  /* Nothing there after all: a program may open its log by name and read it away. */
  return count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN));
}

static uint64_t clock_ms(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1000ull + now.tv_nsec / 1000000;
}

#define POLITENESS "10"

/* Shares of control groups weigh nothing here: the shim is in none of its sandbox's. Under a kernel that groups processes by
 * session it is alone in its group, which then has to give way as a whole. */
static void give_way(void) {
  setpriority(PRIO_PROCESS, 0, atoi(POLITENESS));
  int group = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);
  if (group < 0) return;
  (void)!write(group, POLITENESS, strlen(POLITENESS));
  close(group);
}

/*
 * Reading costs processor time of the shim's, which no limit of the sandbox counts. A program that writes without end
 * gets so much of it at once and then a part of a processor, and soon only after whoever else wants that: it waits for
 * its log, and its neighbours do not.
 */
static bool log_rests(void) {
  static uint64_t since_ms;
  static bool gives_way;
  if (!since_ms) since_ms = clock_ms(CLOCK_MONOTONIC);
  uint64_t allowed_ms = LOG_BURST_MS + (clock_ms(CLOCK_MONOTONIC) - since_ms) / LOG_PART;
  uint64_t used_ms = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
  if (!gives_way && used_ms > LOG_POLITE_MS) {
    give_way();
    gives_way = true;
  }
  return used_ms > allowed_ms;
}

static void read_status(void) {
  uint32_t message[2];
  ssize_t count;
  while ((count = read(job.status, message, sizeof message)) == sizeof message) {
    if (message[0] == 'P') {
      job.about_to_start = true;
    } else if (message[0] == 'R' && !job.started) {
      job.started = true;
      clients_tell("running\n");
    } else if (message[0] == 'F' && !job.started) {
      job.failed_to_start = true;
      job.start_error = message[1];
    } else if (message[0] == 'X' && job.started && job.end == END_SELF && !job.reported) {
      job.reported = true;
      job.program_status = message[1];
    }
  }
  if (count < 0 && errno == EAGAIN) return;
  close(job.status);
  job.status = -1;
}

/* The runtime leaves process 1 to the shim; anything else that loses its parent on the way comes here too. */
static bool all_ended(void) {
  struct signalfd_siginfo ignored;
  while (read(job.signals, &ignored, sizeof ignored) > 0) continue;
  pid_t ended;
  int status;
  while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
    if (ended != job.runtime) continue;
    job.runtime = 0;
    job.runtime_status = status;
  }
  return ended < 0 && errno == ECHILD;
}

static void serve(void) {
  enum { LOG, STATUS, TIMER, METER, SIGNALS, INPUT_IN, INPUT_OUT, CLIENTS };
  /* What it writes to a disk of its own lies on the host's, and takes room there as it is written. */
  bool takes_disk = plan.workspace == WORKSPACE_DISK;
  int idle_ms = takes_disk ? DISK_LOOK_MS : -1;
  for (;;) {
    bool rests = log_rests();
    struct pollfd waits[CLIENTS + 1 + MAX_CLIENTS] = {
      [LOG] = { .fd = rests ? -1 : job.log, .events = POLLIN },
      [STATUS] = { .fd = job.status, .events = POLLIN },
      [TIMER] = { .fd = job.timer, .events = POLLIN },
      [METER] = { .fd = job.meter, .events = POLLIN },
      [SIGNALS] = { .fd = job.signals, .events = POLLIN },
      [INPUT_IN] = { .fd = input_wanted() ? 0 : -1, .events = POLLIN },
      [INPUT_OUT] = { .fd = input_waits() ? job.input : -1, .events = POLLOUT },
    };
    int clients = clients_watch(waits + CLIENTS);
    if (poll(waits, CLIENTS + clients, rests ? LOG_REST_MS : idle_ms) < 0 && errno != EINTR) fail("poll");

    if (waits[LOG].revents && !read_log()) {
      close(job.log);
      job.log = -1;
    }
    if (waits[STATUS].revents) read_status();
    if (waits[TIMER].revents) end_by(END_DEADLINE);
    if (waits[TIMER].revents) job.timer = -1;
    if (waits[METER].revents && network_over_cap(&plan)) {
      end_by(END_EGRESS_CAP);
      job.meter = -1;
    }
    if (takes_disk && job.begun_ms && space_low(sandbox_dir)) end_by(END_DISK_LOW);
    if (waits[INPUT_OUT].revents) input_write();
    if (waits[INPUT_IN].revents) input_read();
    clients_serve(waits + CLIENTS, clients);
    if (waits[SIGNALS].revents && all_ended()) return;
  }
}

int main(int count, char **arguments) {
  sigset_t children;
  signal(SIGPIPE, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  umask(0077);
  /* Input and log pass through its memory: no core file of it. */
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)) return 2;
  if (count != 2 || chdir(arguments[1])) return 2;
  sandbox_dir = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (sandbox_dir < 0) return 2;

  clients_listen();
  plan_read(&plan, sandbox_dir);
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_BLOCK, &children, NULL);
  cgroups_make(&plan);
  devices_filter(&plan);
  network_take(&plan);
  mounts_make(&plan);
  log_open(sandbox_dir, plan.log_bytes);
  job.signals = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
  if (job.signals < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)) fail("signals");
  runtime_start();
  record_reserve();
  serve();

  bool all_dead = cgroups_kill(&plan);
  if (job.status >= 0) read_status();
  /* Process 1 has ended before it could tell of the program: nothing but the program, or a limit of its, ends it then. */
  if (job.about_to_start && !job.failed_to_start) job.started = true;
  for (size_t bytes = 0; job.log >= 0 && bytes < DRAIN_BYTES && read_log(); bytes += LOG_CHUNK_BYTES) continue;
  log_end();
  if (job.started && all_dead) collect(&plan, sandbox_dir, mounts_workspace(), &results);
  conclude(all_dead);
  finish();
}
