/*
 * Loaded into an archive reader before its own program runs (LD_PRELOAD). The reader calls `umask(SEAL)` when it has loaded
 * what it needs and has read nothing yet; from then on the kernel refuses all its threads every system call but those in
 * `allowed`: no file is opened, no socket made, no program started, no other process seen.
 * Node gives a program no way to ask for a filter, and one that stood before Node's start would have to allow files.
 */
#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* No mask of modes has this value: reader-main.ts asks for it, and gets it back when the seal is on. */
#define SEAL 0x5ea1

/* Calls of Node while it reads, as strace counts them over the tests of the readers. */
static const int allowed[] = {
    /* pipes that it was given */
    __NR_read, __NR_readv, __NR_write, __NR_writev, __NR_close, __NR_shutdown, __NR_fstat, __NR_lseek,
    /* waiting */
    __NR_epoll_wait, __NR_epoll_pwait, __NR_epoll_ctl, __NR_poll, __NR_ppoll, __NR_futex, __NR_nanosleep,
    __NR_clock_nanosleep, __NR_sched_yield, __NR_restart_syscall,
    /* memory, V8's compiled code among it */
    __NR_mmap, __NR_munmap, __NR_mremap, __NR_mprotect, __NR_madvise, __NR_brk, __NR_membarrier,
    /* time and itself */
    __NR_clock_gettime, __NR_clock_getres, __NR_gettimeofday, __NR_getpid, __NR_gettid, __NR_getrandom,
    __NR_getrusage, __NR_sched_getaffinity, __NR_sysinfo,
    /* signals to itself come by tgkill, below */
    __NR_rt_sigaction, __NR_rt_sigprocmask, __NR_rt_sigreturn, __NR_sigaltstack,
    /* threads */
    __NR_set_robust_list, __NR_rseq, __NR_exit, __NR_exit_group,
};

#define NR (offsetof(struct seccomp_data, nr))
#define LOW(n) (offsetof(struct seccomp_data, args[n]))
#define HIGH(n) (offsetof(struct seccomp_data, args[n]) + 4)
#define LOAD(at) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (at))
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, (what))
#define ALLOW RETURN(SECCOMP_RET_ALLOW)
#define REFUSE RETURN(SECCOMP_RET_ERRNO | EPERM)
/* Skips so many instructions unless what was loaded is `value`. */
#define UNLESS(value, skipped) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (skipped))

/* Flags that make a thread: CLONE_VM, CLONE_FS, CLONE_FILES, CLONE_SIGHAND and CLONE_THREAD at least, and no namespace. */
#define THREAD_FLAGS 0x00010f00u
#define NAMESPACE_FLAGS 0x7e020080u

#define CALLS ((int)(sizeof allowed / sizeof *allowed))
#define RULES 64

struct program {
  struct sock_filter rules[CALLS * 2 + RULES];
  unsigned short length;
};

static void add(struct program *program, const struct sock_filter *rules, size_t count) {
  for (size_t at = 0; at < count; at += 1) program->rules[program->length++] = rules[at];
}

#define ADD(program, ...)                                            \
  do {                                                               \
    const struct sock_filter rules[] = {__VA_ARGS__};                \
    add(program, rules, sizeof rules / sizeof *rules);               \
  } while (0)

static void compose(struct program *program, uint32_t own) {
  ADD(program, LOAD(offsetof(struct seccomp_data, arch)), UNLESS(AUDIT_ARCH_X86_64, 1),
      BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0), RETURN(SECCOMP_RET_KILL_PROCESS), LOAD(NR));
  for (int at = 0; at < CALLS; at += 1) ADD(program, UNLESS((uint32_t)allowed[at], 1), ALLOW);
  /* The C library falls back to clone, whose flags can be looked at here. */
  ADD(program, UNLESS(__NR_clone3, 1), RETURN(SECCOMP_RET_ERRNO | ENOSYS));
  ADD(program, UNLESS(__NR_clone, 6), LOAD(LOW(0)), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NAMESPACE_FLAGS, 3, 0),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, THREAD_FLAGS), UNLESS(THREAD_FLAGS, 1), ALLOW, REFUSE);
  /* An abort is a signal to one's own thread. */
  ADD(program, UNLESS(__NR_tgkill, 4), LOAD(LOW(0)), UNLESS(own, 1), ALLOW, REFUSE);
  /* Node gives its standard streams their former flags when it exits, and aborts where it cannot. */
  ADD(program, UNLESS(__NR_fcntl, 6), LOAD(LOW(1)), UNLESS(F_GETFL, 1), ALLOW, UNLESS(F_SETFL, 1), ALLOW, REFUSE);
  /* Names of threads; 15 is PR_SET_NAME, 0x53564d41 names memory. */
  ADD(program, UNLESS(__NR_prctl, 6), LOAD(LOW(0)), UNLESS(PR_SET_NAME, 1), ALLOW, UNLESS(0x53564d41, 1), ALLOW, REFUSE);
  ADD(program, UNLESS(__NR_ioctl, 4), LOAD(LOW(1)), UNLESS(FIONBIO, 1), ALLOW, REFUSE);
  ADD(program, REFUSE);
}

static int install(const struct program *program, unsigned flags) {
  struct sock_fprog filter = {.len = program->length, .filter = (struct sock_filter *)program->rules};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return (int)syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter);
}

/*
 * Before Node starts: nothing of the process is another's to see, and it makes no ring of io_uring, whose requests pass no
 * filter. One that was made before the seal would open files after it.
 */
__attribute__((constructor)) static void protect(void) {
  static struct program program;
  ADD(&program, LOAD(NR), UNLESS(__NR_io_uring_setup, 1), RETURN(SECCOMP_RET_ERRNO | ENOSYS), ALLOW);
  unsetenv("LD_PRELOAD");
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || install(&program, 0) != 0) _exit(71);
}

mode_t umask(mode_t mask) {
  if (mask == SEAL) {
    static struct program program;
    compose(&program, (uint32_t)getpid());
    /* Of every thread, or of none: V8 has some already. */
    if (install(&program, SECCOMP_FILTER_FLAG_TSYNC) != 0) _exit(71);
    return SEAL;
  }
  return (mode_t)syscall(__NR_umask, mask);
}
