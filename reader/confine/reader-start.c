/*
 * Starts archive readers.
 *
 *   reader-start host UID GID SEAL ARGC READER... COMMAND...
 *     becomes COMMAND, which finds two descriptors: by 5 it asks for readers (below), and 6 closes when no process holds it any
 *     more. It keeps those that it is given from 7 on. Beside it a process of the user UID starts readers; it has none of them, ends
 *     with COMMAND, and every reader with it.
 *   reader-start request MEMORY SECONDS
 *     has a reader started there, with descriptors 0, 3 and 4 of its own, and ends as that ends. A signal that kills it kills the
 *     reader.
 *   reader-start direct MEMORY SECONDS SEAL READER...
 *     becomes a reader, as the user who calls.
 *
 * READER is Node with its arguments; MEMORY are bytes, SECONDS are of processor time. The first line of descriptor 3 is
 * the number of the reader's process; a further one names what kept it from becoming a reader.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { input_fd = 0, control_fd = 3, tar_fd = 4, requests_fd = 5, hears_fd = 6, passed_fds = 4 };
enum { max_readers = 256, broken = 70, refused = 71 };
#define MIB (1024ull * 1024)
/* Memory that V8 sets aside without using it, on top of what may be used: the kernel counts it as data. */
#define RESERVED (1024 * MIB)

struct limits {
  uint64_t memory;
  uint64_t seconds;
};

struct reader {
  pid_t pid;
  /* Closed by who asked for it when it is wanted no more; takes how it ended. */
  int life;
};

/* Set where descriptor 3 is that of the reader to be. */
static int has_control;

static void fail(const char *what) {
  int error = errno;
  perror(what);
  if (has_control) dprintf(control_fd, "{\"failed\":\"%s: %s\"}\n", what, strerror(error));
  exit(broken);
}

static uint64_t number(const char *text) {
  char *end;
  errno = 0;
  unsigned long long value = strtoull(text, &end, 10);
  if (errno != 0 || *text < '0' || *text > '9' || *end != '\0') fail(text);
  return value;
}

static int sensible(struct limits limits) {
  return limits.memory >= 16 * MIB && limits.memory <= 64 * 1024 * MIB && limits.seconds >= 1 &&
         limits.seconds <= 7 * 86400;
}

static void bound(int resource, uint64_t most) {
  struct rlimit limit = {.rlim_cur = most, .rlim_max = most};
  if (setrlimit(resource, &limit) != 0) fail("setrlimit");
}

/* Of the environment nothing is left but what seals it. */
static void become_reader(struct limits limits, const char *seal, char **argv) {
  char heap[64], preload[4096], line[32];
  int argc = 0;
  while (argv[argc]) argc += 1;
  char **args = calloc((size_t)argc + 2, sizeof *args);
  if (!args) fail("calloc");
  snprintf(heap, sizeof heap, "--max-old-space-size=%llu", (unsigned long long)(limits.memory / 2 / MIB));
  args[0] = argv[0];
  args[1] = heap;
  memcpy(args + 2, argv + 1, (size_t)argc * sizeof *args);
  snprintf(preload, sizeof preload, "LD_PRELOAD=%s", seal);
  char *environment[] = {preload, NULL};

  /* At 1 the kernel leaves a handler of cores out too, which 0 does not. */
  bound(RLIMIT_CORE, 1);
  bound(RLIMIT_FSIZE, 0);
  bound(RLIMIT_NOFILE, 64);
  bound(RLIMIT_CPU, limits.seconds);
  bound(RLIMIT_DATA, limits.memory + RESERVED);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || chdir("/") != 0) fail("no_new_privs");
  /* Node would say it where nobody listens. */
  const char *program = argv[argc - 1];
  if (*program == '/' && access(program, R_OK) != 0) fail(program);
  int length = snprintf(line, sizeof line, "{\"pid\":%d}\n", getpid());
  if (write(control_fd, line, (size_t)length) < 0 && errno != EBADF) fail("control");
  execve(args[0], args, environment);
  fail(args[0]);
}

static void die_with(pid_t parent) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) fail("parent");
}

/* --- the process beside COMMAND --- */

static struct reader readers[max_readers];
static int reader_count;

static void drop_to(uint64_t uid, uint64_t gid) {
  if (geteuid() == 0 && (setgroups(0, NULL) != 0 || setresgid((gid_t)gid, (gid_t)gid, (gid_t)gid) != 0 ||
                         setresuid((uid_t)uid, (uid_t)uid, (uid_t)uid) != 0)) {
    fail("setresuid");
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) fail("prctl");
}

/* Readers are not urgent. Where the kernel divides processors by session, a reader would have the raised share of its role. */
static void give_way(void) {
  (void)setsid();
  (void)setpriority(PRIO_PROCESS, 0, 10);
}

static void start_reader(struct limits limits, int *given, const char *seal, char **argv) {
  pid_t own = getpid(), pid = fork();
  if (pid == 0) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    give_way();
    die_with(own);
    /* Above what they are to become, so that none is overwritten before it is taken. */
    int wanted[] = {input_fd, control_fd, tar_fd}, high[3];
    for (int at = 0; at < 3; at += 1) {
      if ((high[at] = fcntl(given[at], F_DUPFD_CLOEXEC, 64)) < 0) fail("dup");
    }
    for (int at = 0; at < 3; at += 1) {
      if (dup2(high[at], wanted[at]) < 0) fail("dup2");
    }
    has_control = 1;
    if (close_range(requests_fd, ~0u, 0) != 0) fail("close_range");
    become_reader(limits, seal, argv);
  }
  for (int at = 0; at < 3; at += 1) close(given[at]);
  if (pid < 0) {
    close(given[3]);
    return;
  }
  readers[reader_count++] = (struct reader){.pid = pid, .life = given[3]};
}

/* 0: nobody is there to ask any more. */
static int take_request(const char *seal, char **argv) {
  struct limits limits = {0};
  struct iovec part = {.iov_base = &limits, .iov_len = sizeof limits};
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(passed_fds * sizeof(int))];
  } control;
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  ssize_t length = recvmsg(requests_fd, &message, MSG_CMSG_CLOEXEC);
  if (length < 0) return errno == EINTR || errno == EAGAIN;
  if (length == 0) return 0;
  int given[passed_fds], count = 0;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
    count = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    memcpy(given, CMSG_DATA(header), (size_t)count * sizeof(int));
  }
  int whole = length == sizeof limits && count == passed_fds && sensible(limits) && reader_count < max_readers;
  if (whole) {
    start_reader(limits, given, seal, argv);
  } else {
    for (int at = 0; at < count; at += 1) close(given[at]);
  }
  return 1;
}

static void take_ends(void) {
  int status;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    for (int at = 0; at < reader_count; at += 1) {
      if (readers[at].pid != pid) continue;
      (void)!send(readers[at].life, &status, sizeof status, MSG_NOSIGNAL | MSG_DONTWAIT);
      close(readers[at].life);
      readers[at] = readers[--reader_count];
      break;
    }
  }
}

static void host(const char *seal, char **argv) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGCHLD);
  sigprocmask(SIG_BLOCK, &ends, NULL);
  int ended = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
  if (ended < 0) fail("signalfd");
  static struct pollfd polled[max_readers + 2];
  for (;;) {
    polled[0] = (struct pollfd){.fd = requests_fd, .events = POLLIN};
    polled[1] = (struct pollfd){.fd = ended, .events = POLLIN};
    for (int at = 0; at < reader_count; at += 1) {
      polled[at + 2] = (struct pollfd){.fd = readers[at].life, .events = POLLIN};
    }
    if (poll(polled, (nfds_t)reader_count + 2, -1) < 0 && errno != EINTR) fail("poll");
    /* Before any ends: a number that has not been waited for is nobody else's. */
    for (int at = 0; at < reader_count; at += 1) {
      if (polled[at + 2].revents) kill(readers[at].pid, SIGKILL);
    }
    if (polled[1].revents) {
      struct signalfd_siginfo info;
      (void)!read(ended, &info, sizeof info);
      take_ends();
    }
    if (polled[0].revents && !take_request(seal, argv)) exit(0);
  }
}

static int run_host(int argc, char **argv) {
  if (argc < 8) fail("host UID GID SEAL ARGC READER... COMMAND...");
  uint64_t uid = number(argv[2]), gid = number(argv[3]);
  const char *seal = argv[4];
  uint64_t reader_argc = number(argv[5]);
  if (reader_argc < 1 || reader_argc > (uint64_t)argc - 7) fail("ARGC");
  char **reader = argv + 6, **command = reader + reader_argc;
  int requests[2], keep_alive[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, requests) != 0 || pipe2(keep_alive, O_CLOEXEC) != 0) {
    fail("socketpair");
  }
  pid_t own = getpid(), pid = fork();
  if (pid < 0) fail("fork");
  int mine[] = {pid == 0 ? requests[1] : requests[0], pid == 0 ? keep_alive[1] : keep_alive[0]};
  int high[2];
  for (int at = 0; at < 2; at += 1) {
    if ((high[at] = fcntl(mine[at], F_DUPFD_CLOEXEC, 64)) < 0) fail("dup");
  }
  if (dup2(high[0], requests_fd) < 0 || dup2(high[1], hears_fd) < 0) fail("dup2");
  if (pid != 0) {
    execvp(command[0], command);
    fail(command[0]);
  }
  if (close_range(hears_fd + 1, ~0u, 0) != 0) fail("close_range");
  int nothing = open("/dev/null", O_RDWR);
  for (int at = 0; at < requests_fd; at += 1) {
    if (at != nothing && dup2(nothing, at) < 0) fail("null");
  }
  drop_to(uid, gid);
  die_with(own);
  /* The strings end where the command begins. */
  *command = NULL;
  host(seal, reader);
  return 0;
}

/* --- asking for one --- */

static int run_request(int argc, char **argv) {
  if (argc != 4) fail("request MEMORY SECONDS");
  struct limits limits = {.memory = number(argv[2]), .seconds = number(argv[3])};
  die_with(getppid());
  int life[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, life) != 0) fail("socketpair");
  int given[passed_fds] = {input_fd, control_fd, tar_fd, life[1]};
  struct iovec part = {.iov_base = &limits, .iov_len = sizeof limits};
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof given)];
  } control = {.header = {.cmsg_len = CMSG_LEN(sizeof given), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
  memcpy(CMSG_DATA(&control.header), given, sizeof given);
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  if (sendmsg(requests_fd, &message, MSG_NOSIGNAL) != sizeof limits) return broken;
  /* From now on they are the reader's alone: they end when it does. */
  for (int at = 0; at < passed_fds; at += 1) close(given[at]);
  int status;
  ssize_t length;
  while ((length = read(life[0], &status, sizeof status)) < 0 && errno == EINTR) {
  }
  if (length != sizeof status) return refused;
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  bound(RLIMIT_CORE, 0);
  signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  return broken;
}

static int run_direct(int argc, char **argv) {
  if (argc < 6) fail("direct MEMORY SECONDS SEAL READER...");
  has_control = 1;
  die_with(getppid());
  become_reader((struct limits){number(argv[2]), number(argv[3])}, argv[4], argv + 5);
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "host") == 0) return run_host(argc, argv);
  if (argc > 1 && strcmp(argv[1], "request") == 0) return run_request(argc, argv);
  if (argc > 1 && strcmp(argv[1], "direct") == 0) return run_direct(argc, argv);
  fail("host, request or direct");
}
