/*
 * Supervises one sandbox. The host agent starts one shim per sandbox, as root, in a session of its own. The agent may die or
 * restart at any time: the shim does not depend on it.
 *
 *   agent --(frames on descriptor 0)--> shim --(pipe)--> program
 *   agent <--(lines on descriptor 1, and on every connection to ctl)-- shim <--(pipe: log)-- program
 *
 * It works in the sandbox's own folder (argv[1], entered before anything else) and gets its plan from the agent: plain
 * lines. It never parses anything that a tenant wrote: the results of a program are read only
 * by a child process that has given up root (collect.c).
 *
 * Steps, in this order, each failing closed with a slug of its own as the record's detail:
 *   1. read the plan (plan.c), listen on ctl (clients.c)
 *   2. make the control groups with every limit of the plan (cgroups.c, devices.c), take the prepared network link
 *      (network.c)
 *   3. make the file systems in a private mount namespace (mounts.c)
 *   4. start the runtime inside the control groups (runtime.c), which starts process 1 of the sandbox, which waits
 *      (init.c). The launcher is a part of the shim and ends then; the shim kills a runtime that would only watch process 1
 *   5. serve until no process of the sandbox is left: start the program at the start signal of the agent (input.c); pass
 *      input and log (mask.c, log.c), watch the deadline, take commands
 *      (at a deadline and a gentle stop the shim first asks the processes to end, through process 1)
 *   6. kill remaining processes, report the cause, collect results (collect.c)
 *   7. write the exit record (outcome.c, record.c)
 *   8. remove the control groups and exit; the mounts vanish with the namespace
 *
 * When the shim dies its sandbox ends: process 1 sees the status socket close.
 */
#define _GNU_SOURCE
#include "shim/shim.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
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
enum { LOG_BURST_MS = 2000, LOG_PART = 4, LOG_THROTTLE_MS = 10, LOG_NICE_MS = 50, NICE_LEVEL = 10 };
/* How often free space is checked for a sandbox that writes to the host's disk. */
enum { DISK_POLL_MS = 100 };

struct plan shim_plan;
struct collected shim_results;
struct job shim_job = { .log = -1, .status = -1, .input = -1, .timer = -1, .meter = -1, .signals = -1 };
int shim_folder = -1;
static pid_t own_pid;

static bool set_timer(uint64_t ms) {
  struct itimerspec when = { .it_value = { .tv_sec = ms / 1000, .tv_nsec = (ms % 1000) * 1000000 } };
  return ms && !timerfd_settime(shim_job.timer, 0, &when, NULL);
}

/* The agent sends the start signal once its own record of the start is on disk. */
void shim_release(uint64_t timeout_ms) {
  shim_job.timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  if (shim_job.timer < 0 || !set_timer(timeout_ms)) shim_fail("deadline");
  shim_job.meter = network_meter();
  shim_job.released_cpu_ms = cgroups_counter(&shim_plan, "cpu_ms");
  shim_job.released_ms = clock_ms(CLOCK_REALTIME);
  /* Process 1 may have ended already, and the sandbox with it. */
  if (write(shim_job.input, "S", 1) < 0 && errno != EPIPE) shim_fail("pipe");
}

void shim_end(enum end end) {
  bool is_first = shim_job.end == END_SELF;
  if (shim_job.reported || (!is_first && !shim_job.asked_to_end)) return;
  if (is_first) shim_job.end = end;
  shim_job.asked_to_end = false;
  /* The runtime may be about to enter the groups, or to fork. So main() kills the groups again once the runtime has ended. */
  if (shim_job.runtime) kill(shim_job.runtime, SIGKILL);
  cgroups_kill(&shim_plan);
}

void shim_ask_to_end(enum end end) {
  if (shim_job.reported || shim_job.end != END_SELF) return;
  shim_job.asked_to_end = shim_job.started && shim_plan.grace_ms && set_timer(shim_plan.grace_ms) && write(shim_job.status, "T", 1) == 1;
  if (shim_job.asked_to_end) shim_job.end = end;
  else shim_end(end);
}

static void on_timer(void) {
  if (shim_job.end == END_SELF) shim_ask_to_end(END_DEADLINE);
  else shim_end(END_DEADLINE);
  /* Processes that were asked to end have the time for which the timer was set again. */
  if (!shim_job.asked_to_end) shim_job.timer = -1;
}

/* False at the end of the log. */
static bool read_log(void) {
  static char buffer[LOG_CHUNK_BYTES];
  ssize_t count = read(shim_job.log, buffer, sizeof buffer);
  if (count > 0) mask_append(buffer, count);
  /* A program may have opened its log by name and read the bytes first, which is no end. */
  return count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN));
}

bool shim_ends_caller(void) { return !prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) && getppid() == own_pid; }

void shim_lower_priority(void) {
  static bool is_lowered;
  if (!is_lowered) setpriority(PRIO_PROCESS, 0, NICE_LEVEL);
  is_lowered = true;
}

/*
 * Reading the log costs processor time of the shim, which no limit of the sandbox counts. A program that writes without end
 * gets LOG_BURST_MS of it, then one LOG_PART-th of a processor, soon at a lower priority: the program waits for its log, and its
 * neighbours do not.
 */
static bool log_is_throttled(void) {
  static uint64_t since_ms;
  if (!since_ms) since_ms = clock_ms(CLOCK_MONOTONIC);
  uint64_t allowed_ms = LOG_BURST_MS + (clock_ms(CLOCK_MONOTONIC) - since_ms) / LOG_PART;
  uint64_t used_ms = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
  if (used_ms > LOG_NICE_MS) shim_lower_priority();
  return used_ms > allowed_ms;
}

static void read_status(void) {
  uint32_t message[2];
  ssize_t count;
  while ((count = read(shim_job.status, message, sizeof message)) == sizeof message) {
    if (message[0] == 'U') {
      if (shim_plan.ends_runtime && shim_job.runtime) kill(shim_job.runtime, SIGKILL);
    } else if (message[0] == 'P') {
      shim_job.about_to_start = true;
    } else if (message[0] == 'R' && !shim_job.started) {
      shim_job.started = true;
      clients_notify("running\n");
    } else if (message[0] == 'F' && !shim_job.started) {
      shim_job.failed_to_start = true;
      shim_job.start_error = message[1];
    } else if (message[0] == 'M') {
      shim_job.shared_memory_full = true;
    } else if (message[0] == 'X' && shim_job.started && shim_job.end == END_SELF && !shim_job.reported) {
      shim_job.reported = true;
      shim_job.program_status = message[1];
    }
  }
  if (count < 0 && errno == EAGAIN) return;
  close(shim_job.status);
  shim_job.status = -1;
}

/* The shim is the parent of process 1 once the runtime has ended, and of any other orphan. */
static bool all_ended(void) {
  struct signalfd_siginfo ignored;
  while (read(shim_job.signals, &ignored, sizeof ignored) > 0) continue;
  pid_t ended;
  int status;
  while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
    if (ended != shim_job.runtime) continue;
    shim_job.runtime = 0;
    shim_job.runtime_status = status;
  }
  return ended < 0 && errno == ECHILD;
}

static void serve(void) {
  enum { LOG, STATUS, TIMER, METER, SIGNALS, INPUT_IN, INPUT_OUT, CLIENTS };
  /* A disk of the job is a file on the host's disk, which grows as the job writes. */
  bool takes_disk = shim_plan.workspace == WORKSPACE_DISK;
  int idle_ms = takes_disk ? DISK_POLL_MS : -1;
  for (;;) {
    bool throttled = log_is_throttled();
    struct pollfd waits[CLIENTS + 1 + MAX_CLIENTS] = {
      [LOG] = { .fd = throttled ? -1 : shim_job.log, .events = POLLIN },
      [STATUS] = { .fd = shim_job.status, .events = POLLIN },
      [TIMER] = { .fd = shim_job.timer, .events = POLLIN },
      [METER] = { .fd = shim_job.meter, .events = POLLIN },
      [SIGNALS] = { .fd = shim_job.signals, .events = POLLIN },
      [INPUT_IN] = { .fd = input_wanted() ? 0 : -1, .events = POLLIN },
      [INPUT_OUT] = { .fd = input_waits() ? shim_job.input : -1, .events = POLLOUT },
    };
    int clients = clients_watch(waits + CLIENTS);
    if (poll(waits, CLIENTS + clients, throttled ? LOG_THROTTLE_MS : idle_ms) < 0 && errno != EINTR) shim_fail("poll");

    if (waits[LOG].revents && !read_log()) {
      close(shim_job.log);
      shim_job.log = -1;
    }
    if (waits[STATUS].revents) read_status();
    if (waits[TIMER].revents) on_timer();
    if (waits[METER].revents && network_over_cap(&shim_plan)) {
      shim_end(END_EGRESS_CAP);
      shim_job.meter = -1;
    }
    if (takes_disk && shim_job.released_ms && space_taken()) shim_end(END_DISK_LOW);
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
  /* Input and log pass through the memory of the shim, so the kernel must write no core file of it. */
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)) return 2;
  if (count != 2 || chdir(arguments[1])) return 2;
  shim_folder = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (shim_folder < 0) return 2;

  own_pid = getpid();
  clients_listen();
  plan_read(&shim_plan);
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_BLOCK, &children, NULL);
  cgroups_make(&shim_plan);
  devices_filter(&shim_plan);
  network_take(&shim_plan);
  mounts_make(&shim_plan);
  log_limit(shim_plan.log_bytes);
  shim_job.signals = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
  if (shim_job.signals < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)) shim_fail("signals");
  runtime_start();
  record_reserve();
  serve();

  bool all_dead = cgroups_kill(&shim_plan);
  if (shim_job.status >= 0) read_status();
  /* Process 1 ended before it reported the start: only the program, or one of its limits, can have ended it. */
  if (shim_job.about_to_start && !shim_job.failed_to_start) shim_job.started = true;
  for (size_t bytes = 0; shim_job.log >= 0 && bytes < DRAIN_BYTES && read_log(); bytes += LOG_CHUNK_BYTES) continue;
  mask_flush();
  if (shim_job.started && all_dead) collect_results(&shim_plan, shim_folder, mounts_workspace(), &shim_results);
  outcome_record(all_dead);
  shim_exit();
}
