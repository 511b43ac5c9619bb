/*
 * What a hostile program tries first, once each: prints `<attempt> got` or `<attempt> <errno>` per line.
 * Compiled and run inside sandboxes by escape-kernel.test.ts.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { I386_GETPID = 20, X32_BIT = 0x40000000, VSOCK = 40, SMC = 43, TIPC = 30, SCTP = 132, UDPLITE = 136, MPTCP = 262 };

static char waste[8192];
static int pair[2];

static void told(const char *name, long result) {
  if (result >= 0) printf("%s got\n", name);
  else printf("%s %d\n", name, errno);
  fflush(stdout);
}

/* Runs in a child, for the answer may be a signal. */
static void in_child(const char *name, long (*attempt)(void)) {
  int status;
  pid_t pid = fork();
  if (pid == 0) _exit(attempt() > 0 ? 0 : 1);
  waitpid(pid, &status, 0);
  printf("%s %s\n", name, status == 0 ? "got" : WIFSIGNALED(status) ? "killed" : "refused");
  fflush(stdout);
}

static long call_of_32_bits(void) {
#ifdef __x86_64__
  long result;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(I386_GETPID) : "memory");
  return result;
#else
  return -1;
#endif
}

static long call_of_x32(void) { return syscall(X32_BIT | SYS_getpid); }

static long signals_queued(void) {
  sigset_t set;
  union sigval value = { 0 };
  long count = 0;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN);
  sigprocmask(SIG_BLOCK, &set, NULL);
  while (count < 100000 && !sigqueue(getpid(), SIGRTMIN, value)) count++;
  return count;
}

static long queues_made(void) {
  char name[16];
  long count = 0;
  for (; count < 1000; count++) {
    snprintf(name, sizeof name, "/%ld", count);
    if (mq_open(name, O_CREAT | O_RDWR, 0600, NULL) < 0) break;
  }
  return count;
}

static void administration(void) {
  told("mount", mount("none", "/tmp", "tmpfs", 0, NULL));
  told("unshare_user", unshare(CLONE_NEWUSER));
  told("clone_user", syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
  told("clone3", syscall(SYS_clone3, waste, 88));
  told("open_by_handle", syscall(SYS_open_by_handle_at, 0, waste, 0));
  told("name_to_handle", syscall(SYS_name_to_handle_at, AT_FDCWD, "/", waste, waste, 0));
  told("block_device", mknod("/workspace/disk", S_IFBLK | 0600, 0x800));
  told("memory_device", mknod("/workspace/mem", S_IFCHR | 0600, 0x101));
  told("setuid_root_of_host", syscall(SYS_setuid, 70000));
  told("bpf", syscall(SYS_bpf, 0, 0, 0));
  told("perf", syscall(SYS_perf_event_open, 0, 0, 0, 0, 0));
  told("module", syscall(SYS_init_module, waste, 1, ""));
  told("syslog", syscall(SYS_syslog, 3, waste, 100));
  told("reboot", syscall(SYS_reboot, 0, 0, 0, 0));
  told("fanotify", syscall(SYS_fanotify_init, 0, 0));
  told("userfaultfd", syscall(SYS_userfaultfd, 1));
  told("io_uring", syscall(SYS_io_uring_setup, 1, waste));
  told("keyctl", syscall(SYS_keyctl, 0, -3, 0));
  told("add_key", syscall(SYS_add_key, "user", "x", "y", 1, -3));
  told("core_pattern", open("/proc/sys/kernel/core_pattern", O_WRONLY));
  told("sysrq", open("/proc/sysrq-trigger", O_WRONLY));
  told("kcore", open("/proc/kcore", O_RDONLY));
}

static void processes(void) {
  /* Before anything is opened: what the keeper or the runtime left open. */
  for (int fd = 3; fd < 2048; fd++)
    if (fcntl(fd, F_GETFD) >= 0) told("inherited_descriptor", fd);
  told("ptrace_init", syscall(SYS_ptrace, 16, 1, 0, 0));
  told("read_init", syscall(SYS_process_vm_readv, 1, 0, 0, 0, 0, 0));
  told("take_fd_of_init", syscall(SYS_pidfd_getfd, syscall(SYS_pidfd_open, 1, 0), 3, 0));
  told("fds_of_init", open("/proc/1/fd", O_RDONLY | O_DIRECTORY) >= 0 ? open("/proc/1/fd/3", O_WRONLY) : -1);
  told("exe_of_init", open("/proc/1/exe", O_RDONLY));
  told("root_of_init", open("/proc/1/root/", O_RDONLY));
  told("memory_of_init", open("/proc/1/mem", O_RDWR));
}

static void sockets(void) {
  told("vsock", socket(VSOCK, SOCK_STREAM, 0));
  told("raw", socket(AF_INET, SOCK_RAW, 1));
  told("packet", socket(AF_PACKET, SOCK_RAW, 0));
  told("netfilter", socket(AF_NETLINK, SOCK_RAW, 12));
  told("crypto", socket(AF_ALG, SOCK_SEQPACKET, 0));
  told("sctp", socket(AF_INET, SOCK_STREAM, SCTP));
  told("mptcp", socket(AF_INET, SOCK_STREAM, MPTCP));
  told("udplite", socket(AF_INET, SOCK_DGRAM, UDPLITE));
  told("pair_vsock", socketpair(VSOCK, SOCK_STREAM, 0, pair));
  told("pair_tipc", socketpair(TIPC, SOCK_STREAM, 0, pair));
  told("pair_smc", socketpair(SMC, SOCK_STREAM, 0, pair));
}

/* What is one number for the whole machine, or for all that its root started. */
static void shared_numbers(void) {
  struct rlimit core = { 0, 0 };
  unsigned long context = 0;
  told("asynchronous_files", syscall(SYS_io_setup, 65536, &context));
  told("inotify", syscall(SYS_inotify_init1, 0));
  told("huge_pages", mmap(NULL, 2 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0) == MAP_FAILED ? -1 : 0);
  told("huge_file", memfd_create("x", MFD_HUGETLB));
  printf("signals_queued %ld\n", signals_queued());
  printf("queues_made %ld\n", queues_made());
  setrlimit(RLIMIT_CORE, &core);
  prlimit(0, RLIMIT_CORE, &core, NULL);
  getrlimit(RLIMIT_CORE, &core);
  printf("core_limit %lu %lu\n", (unsigned long)core.rlim_cur, (unsigned long)core.rlim_max);
}

static void usual_things(void) {
  struct rlimit files = { 100, 100 };
  told("usual_pair", socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair));
  told("usual_tcp", socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK, 6));
  told("usual_udp", socket(AF_INET, SOCK_DGRAM, 0));
  told("usual_route", socket(AF_NETLINK, SOCK_RAW, 0));
  told("usual_limit", setrlimit(RLIMIT_NOFILE, &files));
  told("usual_file", memfd_create("x", MFD_CLOEXEC));
  sync();
}

int main(void) {
  processes();
  administration();
  sockets();
  shared_numbers();
  in_child("call_of_32_bits", call_of_32_bits);
  in_child("call_of_x32", call_of_x32);
  usual_things();
  return 0;
}
