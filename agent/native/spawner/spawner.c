/*
 * Starts shims for the host agent, which is too large a process to fork from: that would cost milliseconds in which it
 * serves nobody. It knows nothing of sandboxes and keeps no state.
 *
 *   agent --(connection to `spawner` in argv[1]: a control group and the sandbox's folder, a line each)--> spawner --(fork, exec)--> shim
 *
 * The connection becomes descriptor 0 and 1 of the shim, so agent and shim speak without anybody between them. The shim is in the
 * control group before it is executed: its processor time counts there. Shims have sessions of their own and outlive the
 * spawner; the spawner ends with the agent, whose end of descriptor 0 closes.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, BACKLOG = 128 };

/* Takes the line and no byte after it, since that is the shim's: looks at what has arrived before it reads. */
static bool read_line(int connection, char *line, size_t size) {
  for (size_t at = 0; at < size;) {
    ssize_t arrived = recv(connection, line + at, size - at, MSG_PEEK);
    if (arrived <= 0) return false;
    char *end = memchr(line + at, '\n', (size_t)arrived);
    size_t wanted = end ? (size_t)(end - line) + 1 - at : (size_t)arrived;
    if (read(connection, line + at, wanted) != (ssize_t)wanted) return false;
    at += wanted;
    if (!end) continue;
    *end = 0;
    return true;
  }
  return false;
}

static _Noreturn void become_shim(int connection, char *shim, char *folder) {
  char *arguments[] = { shim, folder, NULL }, *environment[] = { NULL };
  signal(SIGCHLD, SIG_DFL);
  if (setsid() < 0 || chdir("/")) _exit(125);
  if (dup2(connection, 0) < 0 || dup2(connection, 1) < 0) _exit(125);
  execve(shim, arguments, environment);
  _exit(125);
}

/*
 * In version 1 of control groups a child moves itself: only that needs no lock of the whole kernel. It has the memory of the
 * spawner until it executes the shim, because a copy costs more, and changes none of it but its stack. In version 2 a move needs
 * that lock, some milliseconds, so the child is born in the group, with a copy of the memory.
 */
static void start_shim(int connection, char *shim, char *folder, const char *group) {
  int directory = open(group, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;
  int tasks = openat(directory, "tasks", O_WRONLY | O_CLOEXEC);
  if (tasks >= 0) {
    if (vfork() == 0) {
      if (write(tasks, "0", 1) != 1) _exit(125);
      become_shim(connection, shim, folder);
    }
    close(tasks);
  } else {
    struct clone_args born = { .flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = directory };
    if (syscall(SYS_clone3, &born, sizeof born) == 0) become_shim(connection, shim, folder);
  }
  close(directory);
}

/* Ends poll(). The kernel restarts a read. */
static void shim_ended(int signal_number) { (void)signal_number; }

int main(int count, char **arguments) {
  struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "spawner" };
  umask(0077);
  if (count != 3 || chdir(arguments[1])) return 2;
  struct sigaction wake = { .sa_handler = shim_ended, .sa_flags = SA_RESTART };
  if (sigaction(SIGCHLD, &wake, NULL)) return 1;
  unlink(address.sun_path);
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, BACKLOG)) return 1;
  if (write(1, "ready\n", 6) != 6) return 1;

  for (;;) {
    struct pollfd waits[2] = { { .fd = 0, .events = POLLIN }, { .fd = listener, .events = POLLIN } };
    int ready = poll(waits, 2, -1);
    /* The folder of a shim has all that is to be known of it; its processor time counts as the service's. */
    while (waitpid(-1, NULL, WNOHANG) > 0) continue;
    if (ready < 0) continue;
    if (waits[0].revents) return 0;
    int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (connection < 0) continue;
    char group[PATH_BYTES], folder[PATH_BYTES];
    if (read_line(connection, group, sizeof group) && read_line(connection, folder, sizeof folder))
      start_shim(connection, arguments[2], folder, group);
    close(connection);
  }
}
