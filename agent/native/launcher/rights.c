/*
 * The rights of process 1. It begins with every capability in its own user namespace and none outside, and gives up all but those of
 * the description, in an order in which no step needs what an earlier one gave up.
 */
#define _GNU_SOURCE
#include "launcher/launcher.h"

#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Input, log, errors and status. */
enum { DESCRIPTORS = 4 };

/* The C library's functions would first look for other threads. */
static bool become(uint32_t uid, uint32_t gid) {
  return !syscall(SYS_setgroups, 0, NULL) && !syscall(SYS_setresgid, gid, gid, gid) && !syscall(SYS_setresuid, uid, uid, uid);
}

void rights_become_root(void) {
  if (!become(0, 0)) launcher_fail(LAUNCH_IDS, "root");
}

/* A process can get no capability that is not in its bounding set, by executing a file as root either. */
static void drop_bounding_set(uint64_t kept) {
  for (int number = 0; prctl(PR_CAPBSET_READ, number, 0, 0, 0) >= 0; number++)
    if (!(kept >> number & 1) && prctl(PR_CAPBSET_DROP, number, 0, 0, 0)) launcher_fail(LAUNCH_CAPABILITIES, "bounding set");
}

static void set_capabilities(uint64_t kept) {
  struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
  struct __user_cap_data_struct data[2] = {
    { .effective = (uint32_t)kept, .permitted = (uint32_t)kept },
    { .effective = (uint32_t)(kept >> 32), .permitted = (uint32_t)(kept >> 32) },
  };
  if (syscall(SYS_capset, &head, data) || prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0))
    launcher_fail(LAUNCH_CAPABILITIES, "capset");
}

void rights_drop(const struct description *description) {
  for (int i = 0; i < description->limit_count; i++)
    if (setrlimit(description->limits[i].resource, &description->limits[i].limit)) launcher_fail(LAUNCH_LIMIT, "limit");
  /* Init gets four descriptors, and none that the shim or an earlier step left open. */
  if (syscall(SYS_close_range, DESCRIPTORS, ~0u, CLOSE_RANGE_CLOEXEC)) launcher_fail(LAUNCH_DESCRIPTORS, "close");
  umask(description->mask);
  drop_bounding_set(description->capabilities);
  if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) || !become(description->uid, description->gid)) launcher_fail(LAUNCH_USER, "user");
  if (chdir(description->folder)) launcher_fail(LAUNCH_USER, "folder");
  set_capabilities(description->capabilities);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) launcher_fail(LAUNCH_PRIVILEGES, "no new privileges");
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &description->filter)) launcher_fail(LAUNCH_FILTER, "filter");
}
