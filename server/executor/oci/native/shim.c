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
 *   1. read the plan, listen on ctl
 *   2. make the control groups with every limit of the plan
 *   3. make the file systems in a private mount namespace (mounts.c)
 *   4. when the agent says so, start crun inside the control groups, with four descriptors and no more
 *   5. serve until crun has ended: input, log, deadline, commands
 *   6. kill what is left, tell the cause, collect results
 *   7. write the exit record: temporary name, fsync, rename, fsync of the folder
 *   8. remove the control groups and exit; the mounts vanish with the namespace
 *
 * "We failed" and "their program failed" are two paths: fail() ends the first, `conclude` tells the second.
 * Descriptor 0 first brings one byte: start now. Then the input in frames (4 bytes length, little endian, then the bytes; an empty frame ends it). An input that
 * ends without the empty frame was cut by the agent's death: the sandbox is killed, for a program must never act
 * on half of its input. A shim that dies takes its sandbox along: init.c sees the status pipe close.
 */
#define _GNU_SOURCE
#include "shim.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_CLIENTS = 16, PIPE_BYTES = 1 << 20, CHUNK_BYTES = 1 << 18, INPUT_BYTES = 1 << 16, DRAIN_BYTES = 1 << 22 };
enum end { END_SELF, END_STOPPED, END_DEADLINE, END_INPUT_CUT };

static struct plan plan;
static struct collected results;
static int dir = -1, listener = -1, clients[MAX_CLIENTS], client_count;
static const char *state_line = "starting\n";
static uint64_t started_ms;

/* What happened in the sandbox. */
static struct {
  pid_t crun;
  int crun_status;
  int log, status, input, timer, signals;
  bool started, failed_to_start, reported;
  uint32_t start_error, program_status;
  enum end end;
} job = { .log = -1, .status = -1, .input = -1, .timer = -1, .signals = -1 };

static uint64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1000ull + now.tv_nsec / 1000000;
}

/* ---- telling the agent ---- */

static void announce(const char *line) {
  state_line = line;
  if (write(1, line, strlen(line)) < 0) { /* the agent is gone: it will connect to ctl */ }
  for (int i = 0; i < client_count; i++) send(clients[i], line, strlen(line), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void write_record(const char *cause, int exit_code, int signal_number, const char *detail) {
  static const char *const file_words[] = { "absent", "present", "too_large", "not_regular" };
  static const char *const tree_words[] = { "absent", "collected", "rejected" };
  int file = openat(dir, "exit.tmp", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  FILE *out = file < 0 ? NULL : fdopen(file, "w");
  if (!out) _exit(1);
  fprintf(out, "{\"cause\":\"%s\",\"exitCode\":%d,\"signal\":%d,\"detail\":\"%s\",\"startedAtMs\":%llu,\"endedAtMs\":%llu",
          cause, exit_code, signal_number, detail, (unsigned long long)started_ms, (unsigned long long)now_ms());
  fprintf(out, ",\"oomKills\":%llu,\"pidsLimitHits\":%llu,\"peakMemoryBytes\":%llu,\"cpuMs\":%llu,\"workspaceFull\":%s",
          (unsigned long long)cgroups_counter(&plan, "oom_kills"), (unsigned long long)cgroups_counter(&plan, "pids_hits"),
          (unsigned long long)cgroups_counter(&plan, "peak_memory"), (unsigned long long)cgroups_counter(&plan, "cpu_ms"),
          mounts_workspace_full() ? "true" : "false");
  fprintf(out, ",\"logTotalBytes\":%llu,\"logKeptBytes\":%llu,\"files\":[", (unsigned long long)log_total(),
          (unsigned long long)log_kept());
  for (int i = 0; i < plan.file_count; i++)
    fprintf(out, "%s{\"status\":\"%s\",\"byteSize\":%llu}", i ? "," : "", file_words[results.files[i].status & 3],
            (unsigned long long)results.files[i].size);
  fprintf(out, "],\"tree\":{\"status\":\"%s\",\"reason\":\"%s\"}}\n", tree_words[results.tree_status % 3],
          results.tree_reason);
  log_sync();
  if (fflush(out) || fsync(file) || renameat(dir, "exit.tmp", dir, "exit.json") || fsync(dir)) _exit(1);
  fclose(out);
}

/* Leaves nothing behind but the record. */
static _Noreturn void finish(void) {
  announce("ended\n");
  cgroups_remove(&plan);
  _exit(0);
}

_Noreturn void fail(const char *slug) {
  if (plan.procs) cgroups_kill(&plan);
  write_record("start_failed", -1, -1, slug);
  finish();
}

/* ---- step 1 and 4: before the program runs ---- */

static void listen_for_commands(void) {
  struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "ctl" };
  listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, MAX_CLIENTS))
    fail("control_socket");
}

/* The agent says so once its own record of the start is on disk. */
static void wait_for_word(void) {
  char word;
  if (read(0, &word, 1) != 1) fail("agent_gone");
}

static _Noreturn void become_crun(int input, int log, int status) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  /* 1. Under every limit before anything of the sandbox runs. */
  if (!cgroups_enter(&plan)) _exit(125);
  /* 2. Not longer than the shim. */
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) || setsid() < 0) _exit(125);
  /* 3. No core files (at 1 the kernel starts no program of core_pattern either), no descriptors but input, log and status. */
  struct rlimit no_core = { 1, 1 };
  if (setrlimit(RLIMIT_CORE, &no_core)) _exit(125);
  if (dup2(input, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0 || dup2(status, 3) < 0) _exit(125);
  if (syscall(SYS_close_range, 4, ~0u, 0)) _exit(125);
  char *environment[] = { "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", NULL };
  execle(plan.crun, "crun", "--cgroup-manager=disabled", "--root", plan.crun_root, "--log=file:crun.log", "run",
         "--preserve-fds=1", "--bundle", ".", plan.id, (char *)NULL, environment);
  _exit(125);
}

/* The program's user owns its pipes, so that it can open /dev/stdout and /dev/stdin again by name. */
static void make_pipe(int ends[2], bool owned) {
  if (pipe2(ends, O_CLOEXEC)) fail("pipe");
  if (owned && (fchown(ends[0], plan.id_base + plan.uid, plan.id_base + plan.gid))) fail("pipe");
}

static void start(void) {
  int input[2], log[2], status[2];
  make_pipe(input, true);
  make_pipe(log, true);
  make_pipe(status, false);
  fcntl(log[0], F_SETPIPE_SZ, PIPE_BYTES);
  /* Descriptors 0 to 3 are taken by dup2 below: keep the originals above them. */
  int high[] = { fcntl(input[0], F_DUPFD_CLOEXEC, 16), fcntl(log[1], F_DUPFD_CLOEXEC, 16), fcntl(status[1], F_DUPFD_CLOEXEC, 16) };
  if (high[0] < 0 || high[1] < 0 || high[2] < 0) fail("pipe");
  job.crun = fork();
  if (job.crun < 0) fail("fork");
  if (job.crun == 0) become_crun(high[0], high[1], high[2]);
  for (int i = 0; i < 3; i++) close(high[i]);
  close(input[0]);
  close(log[1]);
  close(status[1]);
  job.input = input[1];
  job.log = log[0];
  job.status = status[0];
  fcntl(job.input, F_SETFL, O_NONBLOCK);
  fcntl(job.log, F_SETFL, O_NONBLOCK);
  fcntl(job.status, F_SETFL, O_NONBLOCK);
  fcntl(0, F_SETFL, fcntl(0, F_GETFL) | O_NONBLOCK);
}

/* ---- step 5: serving ---- */

static void end_by(enum end end) {
  if (job.reported || job.end != END_SELF) return;
  job.end = end;
  /* crun first, and once more after it has ended: it may be about to enter the groups, or to fork. */
  kill(job.crun, SIGKILL);
  cgroups_kill(&plan);
}

/* False when nothing more will come. */
static bool read_log(void) {
  static char buffer[CHUNK_BYTES];
  ssize_t count = read(job.log, buffer, sizeof buffer);
  if (count > 0) log_append(buffer, count);
  /* Nothing there after all: a program may open its log by name and read it away. */
  return count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN));
}

static void read_status(void) {
  uint32_t message[2];
  ssize_t count;
  while ((count = read(job.status, message, sizeof message)) == sizeof message) {
    if (message[0] == 'R' && !job.started) {
      job.started = true;
      announce("running\n");
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

/* Input: bytes of the current frame wait in `buffer` until the program takes them. */
static struct {
  char buffer[INPUT_BYTES];
  size_t from, to;
  uint8_t header[4];
  size_t header_bytes;
  uint32_t frame_left;
  bool complete, agent_gone;
} input;

static void close_input(void) {
  if (job.input >= 0) close(job.input);
  job.input = -1;
}

static void read_input(void) {
  ssize_t count;
  if (input.frame_left) {
    size_t wanted = input.frame_left < sizeof input.buffer ? input.frame_left : sizeof input.buffer;
    count = read(0, input.buffer, wanted);
    if (count > 0) {
      input.frame_left -= count;
      input.from = 0;
      input.to = job.input < 0 ? 0 : count;
    }
  } else {
    count = read(0, input.header + input.header_bytes, sizeof input.header - input.header_bytes);
    if (count > 0 && (input.header_bytes += count) == sizeof input.header) {
      uint32_t length;
      memcpy(&length, input.header, sizeof length);
      input.frame_left = le32toh(length);
      input.header_bytes = 0;
      if (!input.frame_left) input.complete = true;
    }
  }
  if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) {
    input.agent_gone = true;
    end_by(END_INPUT_CUT);
  }
  if (input.complete) close_input();
}

static void write_input(void) {
  ssize_t count = write(job.input, input.buffer + input.from, input.to - input.from);
  if (count > 0) input.from += count;
  /* A program that closed its input has had enough: the rest is read and dropped. */
  if (count < 0 && errno == EPIPE) close_input();
  if (job.input < 0) input.from = input.to = 0;
}

static void accept_client(void) {
  int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (client < 0) return;
  if (client_count == MAX_CLIENTS) {
    close(client);
    return;
  }
  clients[client_count++] = client;
  send(client, state_line, strlen(state_line), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void read_command(int index) {
  char text[16];
  ssize_t count = recv(clients[index], text, sizeof text, MSG_DONTWAIT);
  if (count > 0) {
    if (text[0] == 's') end_by(END_STOPPED);
  } else if (count == 0 || errno != EAGAIN) {
    close(clients[index]);
    clients[index] = clients[--client_count];
  }
}

static bool crun_ended(void) {
  struct signalfd_siginfo ignored;
  while (read(job.signals, &ignored, sizeof ignored) > 0) continue;
  return waitpid(job.crun, &job.crun_status, WNOHANG) == job.crun;
}

static void serve(void) {
  enum { LOG, STATUS, TIMER, SIGNALS, LISTENER, INPUT_IN, INPUT_OUT, CLIENTS };
  for (;;) {
    bool input_waits = input.from < input.to;
    bool input_open = !input.complete && !input.agent_gone;
    struct pollfd waits[CLIENTS + MAX_CLIENTS] = {
      [LOG] = { .fd = job.log, .events = POLLIN },
      [STATUS] = { .fd = job.status, .events = POLLIN },
      [TIMER] = { .fd = job.timer, .events = POLLIN },
      [SIGNALS] = { .fd = job.signals, .events = POLLIN },
      [LISTENER] = { .fd = listener, .events = POLLIN },
      [INPUT_IN] = { .fd = input_open && !input_waits ? 0 : -1, .events = POLLIN },
      [INPUT_OUT] = { .fd = input_waits ? job.input : -1, .events = POLLOUT },
    };
    int known_clients = client_count;
    for (int i = 0; i < known_clients; i++) waits[CLIENTS + i] = (struct pollfd){ .fd = clients[i], .events = POLLIN };
    if (poll(waits, CLIENTS + known_clients, -1) < 0 && errno != EINTR) fail("poll");

    if (waits[LOG].revents && !read_log()) {
      close(job.log);
      job.log = -1;
    }
    if (waits[STATUS].revents) read_status();
    if (waits[TIMER].revents) end_by(END_DEADLINE);
    if (waits[TIMER].revents) job.timer = -1;
    if (waits[INPUT_OUT].revents) write_input();
    if (waits[INPUT_IN].revents) read_input();
    for (int i = known_clients - 1; i >= 0; i--)
      if (waits[CLIENTS + i].revents) read_command(i);
    if (waits[LISTENER].revents) accept_client();
    if (waits[SIGNALS].revents && crun_ended()) return;
  }
}

/* ---- step 6: what happened ---- */

static const char *start_error_slug(void) {
  if (!job.failed_to_start) return "runtime";
  switch (job.start_error) {
  case ENOENT: return "command_not_found";
  case EACCES: return "command_not_executable";
  case ENOEXEC: return "command_not_executable";
  case E2BIG: return "command_too_long";
  default: return "command";
  }
}

static void conclude(bool all_dead) {
  bool out_of_memory = cgroups_counter(&plan, "oom_kills") > 0;
  int status = job.program_status;
  if (job.end == END_STOPPED) write_record("stopped", -1, -1, all_dead ? "" : "process_left");
  else if (job.end == END_DEADLINE) write_record("deadline", -1, -1, all_dead ? "" : "process_left");
  else if (job.end == END_INPUT_CUT) write_record("lost", -1, -1, "input_cut");
  else if (job.reported && WIFEXITED(status) && WEXITSTATUS(status) == 0) write_record("exited", 0, -1, "");
  else if (out_of_memory) write_record("out_of_memory", -1, -1, "");
  else if (!job.started) write_record("start_failed", -1, -1, start_error_slug());
  else if (!job.reported) write_record("signalled", -1, SIGKILL, "");
  else if (WIFEXITED(status)) write_record("exited", WEXITSTATUS(status), -1, "");
  else write_record("signalled", -1, WTERMSIG(status), "");
}

static void set_deadline(void) {
  struct itimerspec when = {
    .it_value = { .tv_sec = plan.timeout_ms / 1000, .tv_nsec = (plan.timeout_ms % 1000) * 1000000 },
  };
  job.timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  if (job.timer < 0 || timerfd_settime(job.timer, 0, &when, NULL)) fail("deadline");
}

int main(int count, char **arguments) {
  sigset_t children;
  signal(SIGPIPE, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  umask(0077);
  if (count != 2 || chdir(arguments[1])) return 2;
  dir = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (dir < 0) return 2;

  listen_for_commands();
  plan_read(&plan, dir);
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_BLOCK, &children, NULL);
  cgroups_make(&plan);
  mounts_make(&plan);
  log_open(dir, plan.log_bytes);
  job.signals = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
  if (job.signals < 0) fail("signals");
  wait_for_word();
  set_deadline();
  started_ms = now_ms();
  start();
  serve();

  bool all_dead = cgroups_kill(&plan);
  if (job.status >= 0) read_status();
  for (size_t bytes = 0; job.log >= 0 && bytes < DRAIN_BYTES && read_log(); bytes += CHUNK_BYTES) continue;
  if (job.started && all_dead) collect(&plan, dir, mounts_workspace(), &results);
  conclude(all_dead);
  finish();
}
