/*
 * Rights that the resolver gives up before it reads its first byte.
 */
#define _GNU_SOURCE
#include "resolver/resolver.h"

#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool give_up_everything(uid_t uid) {
  struct rlimit none = { 0, 0 }, no_core = { 1, 1 };
  if (unshare(CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)) return false;
  if (mount("tmpfs", "/proc", "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=4k") || chroot("/proc") || chdir("/"))
    return false;
  if (setgroups(0, NULL) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid)) return false;
  return !setrlimit(RLIMIT_NPROC, &none) && !setrlimit(RLIMIT_CORE, &no_core) && !setrlimit(RLIMIT_FSIZE, &none) &&
         !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) &&
         !prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

static bool allow_only_serving(void) {
#define ALLOW(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
  struct sock_filter filter[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
#ifdef __x86_64__
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
#else
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_AARCH64, 1, 0),
#endif
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    ALLOW(recvfrom), ALLOW(sendto), ALLOW(accept4), ALLOW(close), ALLOW(ppoll), ALLOW(getrandom), ALLOW(clock_gettime),
    // A poll that is interrupted by the suspension of the machine, or by SIGSTOP and SIGCONT, goes on by this call.
    ALLOW(restart_syscall),
#ifdef SYS_poll
    ALLOW(poll),
#endif
    ALLOW(exit_group), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  struct sock_fprog program = { .len = sizeof filter / sizeof *filter, .filter = filter };
  return !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

bool confine_resolver(uid_t uid) { return give_up_everything(uid) && allow_only_serving(); }
