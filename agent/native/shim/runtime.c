/*
 * Starts the runtime under the sandbox's limits, with input, log and status as its descriptors and no more. The launcher is a part of
 * the shim and ends within the start, after which process 1 takes its place; other runtimes are programs that the child executes.
 */
#define _GNU_SOURCE
#include "launcher/start.h"
#include "shim/shim.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PIPE_BYTES = 1 << 20 };

/* The child sets it, in the memory of the shim. */
static volatile pid_t first_process;

/* How the child ends that fails at a step before it is the runtime. */
enum { STEP_GROUPS = 240, STEP_NETWORK, STEP_SESSION, STEP_CLOCK, STEP_CORE, STEP_DESCRIPTORS, STEP_EXECUTE };

const char *runtime_failure(int status) {
  switch (WIFEXITED(status) ? WEXITSTATUS(status) : 0) {
  case STEP_GROUPS: return "cgroup_enter";
  case STEP_NETWORK: return "network_join";
  case STEP_SESSION: return "session";
  case STEP_CLOCK: return "time_namespace";
  case STEP_CORE: return "limit_core";
  case STEP_DESCRIPTORS: return "descriptors";
  case STEP_EXECUTE: return "runtime_missing";
  default: return launcher_slug(WEXITSTATUS(status)) ? launcher_slug(WEXITSTATUS(status)) : "runtime";
  }
}

/* A program that is started from here on counts uptime, and time since start-up, from now. */
static bool own_uptime(void) {
  struct timespec monotonic, boot;
  char text[96];
  if (unshare(CLONE_NEWTIME)) return false;
  clock_gettime(CLOCK_MONOTONIC, &monotonic);
  clock_gettime(CLOCK_BOOTTIME, &boot);
  int size = snprintf(text, sizeof text, "monotonic -%lld 0\nboottime -%lld 0\n", (long long)monotonic.tv_sec, (long long)boot.tv_sec);
  int file = open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
  bool done = file >= 0 && write(file, text, size) == size;
  if (file >= 0) close(file);
  return done;
}

/*
 * The runtime's program as nobody can write to it, not even through /proc. crun would make itself such a view when it starts,
 * and start a second time from there.
 */
static void execute_read_only(void) {
  char *environment[] = { "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "_LIBCONTAINER_CLONED_BINARY=1", shim_plan.environment, NULL };
  struct mount_attr read_only = { .attr_set = MOUNT_ATTR_RDONLY };
  int program = (int)syscall(SYS_open_tree, AT_FDCWD, shim_plan.command[0], OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
  if (program < 0 || syscall(SYS_mount_setattr, program, "", AT_EMPTY_PATH, &read_only, sizeof read_only)) return;
  syscall(SYS_execveat, program, "", shim_plan.command, environment, AT_EMPTY_PATH);
}

static _Noreturn void become_runtime(int input, int log, int status) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  /* 1. Under every limit before anything of the sandbox runs. */
  if (!cgroups_enter(&shim_plan)) _exit(STEP_GROUPS);
  /* 2. In the network that was prepared for it, or one that the runtime makes. */
  if (!network_enter()) _exit(STEP_NETWORK);
  /* 3. Not longer than the shim; process 1 sees to itself. */
  if (!shim_ends_caller() || setsid() < 0) _exit(STEP_SESSION);
  /* 4. A clock of its own since start-up: the host's uptime is not the program's. */
  if (!own_uptime()) _exit(STEP_CLOCK);
  /* 5. No core files (at 1 the kernel starts no program of core_pattern either), no descriptors but input, log and status. */
  struct rlimit no_core = { 1, 1 };
  if (setrlimit(RLIMIT_CORE, &no_core)) _exit(STEP_CORE);
  if (dup2(input, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0 || dup2(status, shim_plan.status_descriptor) < 0) _exit(STEP_DESCRIPTORS);
  if (syscall(SYS_close_range, shim_plan.status_descriptor + 1, ~0u, 0)) _exit(STEP_DESCRIPTORS);
  if (shim_plan.is_launched) launcher_start(shim_plan.description, shim_plan.description_bytes, &first_process);
  execute_read_only();
  _exit(STEP_EXECUTE);
}

/* The launcher has ended: the runtime is process 1 from now on, or there is none. */
static void take_first_process(void) {
  int status;
  if (waitpid(shim_job.runtime, &status, 0) < 0) shim_fail("fork");
  shim_job.runtime_status = status;
  shim_job.runtime = status ? 0 : first_process;
  free(shim_plan.description);
  shim_plan.description = NULL;
}

/* The program's user owns its pipes, so that it can open /dev/stdout and /dev/stdin again by name. */
static void make_pipe(int ends[2]) {
  if (pipe2(ends, O_CLOEXEC)) shim_fail("pipe");
  if (fchown(ends[0], shim_plan.id_base + shim_plan.uid, shim_plan.id_base + shim_plan.gid)) shim_fail("pipe");
}

void runtime_start(void) {
  int input[2], log[2], status[2];
  make_pipe(input);
  make_pipe(log);
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, status)) shim_fail("pipe");
  fcntl(log[0], F_SETPIPE_SZ, PIPE_BYTES);
  /* Descriptors 0 to 3 are taken by dup2 below: keep the originals above them. */
  int high[] = { fcntl(input[0], F_DUPFD_CLOEXEC, 16), fcntl(log[1], F_DUPFD_CLOEXEC, 16), fcntl(status[1], F_DUPFD_CLOEXEC, 16) };
  if (high[0] < 0 || high[1] < 0 || high[2] < 0) shim_fail("pipe");
  /* The child has the shim's memory until it executes the runtime or ends, because a copy costs more. The shim uses nothing that it changes. */
  pid_t runtime = vfork();
  if (runtime < 0) shim_fail("fork");
  if (runtime == 0) become_runtime(high[0], high[1], high[2]);
  shim_job.runtime = runtime;
  if (shim_plan.is_launched) take_first_process();
  for (int i = 0; i < 3; i++) close(high[i]);
  close(input[0]);
  close(log[1]);
  close(status[1]);
  shim_job.input = input[1];
  shim_job.log = log[0];
  shim_job.status = status[0];
  fcntl(shim_job.input, F_SETFL, O_NONBLOCK);
  fcntl(shim_job.log, F_SETFL, O_NONBLOCK);
  fcntl(shim_job.status, F_SETFL, O_NONBLOCK);
  fcntl(0, F_SETFL, fcntl(0, F_GETFL) | O_NONBLOCK);
}

