/*
 * Starts process 1 of a sandbox, as crun does, by system calls of its own and from a description of which it needs no interpretation.
 * It is a part of the shim: the child that the shim made by vfork (shim/runtime.c) becomes the launcher without executing a
 * program, because the start of one takes longer than all of the namespaces. That child is in the control groups, the session, the
 * clock and, if the sandbox has a link, the network of the sandbox, with input, log and status as its only descriptors. It leaves no state: no file, no process beside process 1, no group.
 *
 *   shim --(vfork)--> launcher --(clone)--> process 1 --(exec)--> init
 *
 * The description (description.c) is made from the same list as crun's configuration (agent/bundle/spec.ts). The launcher refuses what it
 * does not know, and a step that fails ends the start with the number of the step (steps.h).
 *
 * Steps, in this order:
 *   1. read the description, while there is nothing to undo
 *   2. one clone with every namespace. All of them belong to the new user namespace, so process 1 has rights over these alone; a link's
 *      network namespace is not among them, and process 1 has no rights over it. Process 1 has a copy of the shim's memory, which
 *      holds nothing of a tenant before the start signal, and which init takes the place of
 *   3. the launcher writes the maps of ids: only a process outside may. Process 1 waits for it, because before that it has no id
 *   4. the launcher exits, and process 1 belongs to the shim, which was suspended until now
 *   5. process 1: root of its user namespace; a keyring, since keyrings are in no namespace; loopback and hostname, which need rights
 *   6. process 1: file systems and pivot (root.c). Places are opened below the new root without following a link, and the host's tree
 *      is still there to take sources from. Settings before read-only paths, which cover them; read-only paths before masks,
 *      because a read-only copy of a tree would show what a mask in it covers
 *   7. process 1: the limits, then rights (rights.c): the bounding set while it may still be lowered, then the user, then the
 *      capabilities, then no new privileges, and the filter last, because it refuses the calls of the steps before
 *   8. process 1 executes init
 *
 * After kill -9 at any point nothing is left: everything made is in namespaces that end with process 1. Process 1 ends when the
 * launcher does before the maps are written (its pipe closes), when a step fails, or as init, when the shim's socket closes. The
 * launcher ends with the shim. The shim or the agent kills what is in the control groups in any case.
 *
 * No tenant has code in the sandbox before init runs: of the tenant there is the image, which the new root has as a file system,
 * and the words and variables of the program, which are passed on and never read.
 */
#define _GNU_SOURCE
#include "launcher/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <linux/sched.h>
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Also of the shim's child, which shares the shim's memory: no stream is used. */
_Noreturn void launcher_fail(enum launcher_step step, const char *what) {
  char line[160];
  snprintf(line, sizeof line, "launcher: %s: %.48s: %s\n", launcher_slug((int)step), what, strerror(errno));
  /* Without a log the number of the step still says it. */
  if (write(2, line, strlen(line)) < 0) _exit((int)step);
  _exit((int)step);
}

static void write_map(pid_t pid, const char *kind, const char *map) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", pid, kind);
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0 || write(file, map, strlen(map)) < 0) launcher_fail(LAUNCH_IDS, kind);
  close(file);
}

/* Signals that the shim ignores would stay ignored in the program. */
static void default_signals(void) {
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
}

/* A new network namespace has a loopback device that is down. */
static void loopback_up(void) {
  struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP };
  int handle = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (handle < 0 || ioctl(handle, SIOCSIFFLAGS, &request)) launcher_fail(LAUNCH_NETWORK, "lo");
  close(handle);
}

static _Noreturn void become_first_process(const struct description *description, int go) {
  char byte;
  if (read(go, &byte, 1) != 1) _exit(1);
  default_signals();
  rights_become_root();
  if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 && errno != ENOSYS) launcher_fail(LAUNCH_KEYRING, "session");
  if (description->namespaces & CLONE_NEWNET) loopback_up();
  if (sethostname(description->hostname, strlen(description->hostname))) launcher_fail(LAUNCH_HOSTNAME, "hostname");
  umask(0);
  root_build(description);
  rights_drop(description);
  execve(description->arguments[0], description->arguments, description->variables);
  launcher_fail(LAUNCH_EXECUTE, "init");
}

_Noreturn void launcher_start(char *bytes, size_t size, volatile pid_t *first) {
  static struct description description;
  int go[2];
  prctl(PR_SET_NAME, "launcher");
  description_read(&description, bytes, size);
  if (pipe2(go, O_CLOEXEC)) launcher_fail(LAUNCH_NAMESPACES, "pipe");
  struct clone_args cloned = { .flags = description.namespaces, .exit_signal = SIGCHLD };
  pid_t pid = (pid_t)syscall(SYS_clone3, &cloned, sizeof cloned);
  if (pid < 0) launcher_fail(LAUNCH_NAMESPACES, "clone");
  if (pid == 0) {
    close(go[1]);
    become_first_process(&description, go[0]);
  }
  *first = pid;
  write_map(pid, "uid_map", description.uid_map);
  write_map(pid, "gid_map", description.gid_map);
  if (write(go[1], "", 1) != 1) launcher_fail(LAUNCH_IDS, "go");
  _exit(0);
}
