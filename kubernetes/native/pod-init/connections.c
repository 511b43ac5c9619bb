#define _GNU_SOURCE
#include "pod-init/pod-init.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "common/host-ids.h"

/* The collector may start later, and looks at the network before it listens. */
enum { WAIT_MS = 240000, PAUSE_MS = 20, SOFT_FILES = 1024 };

static int connected(void) {
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(LOOPBACK_PORT), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  int channel = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (channel < 0) return -1;
  if (!connect(channel, (const struct sockaddr *)&address, sizeof address)) return channel;
  int error = errno;
  socklen_t size = sizeof error;
  /* Under gVisor a connect may be interrupted and goes on. */
  struct pollfd ready = { .fd = channel, .events = POLLOUT };
  if (error == EINTR && poll(&ready, 1, WAIT_MS) == 1 && !getsockopt(channel, SOL_SOCKET, SO_ERROR, &error, &size) && !error) return channel;
  close(channel);
  return -1;
}

static int open_role(char role) {
  struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000L };
  for (int waited = 0; waited < WAIT_MS; waited += PAUSE_MS) {
    int channel = connected();
    if (channel >= 0 && write(channel, &role, 1) == 1) return channel;
    if (channel >= 0) close(channel);
    nanosleep(&pause, NULL);
  }
  return -1;
}

bool connections_open(struct connections *to) {
  to->control = open_role(ROLE_CONTROL);
  if (to->control < 0) return false;
  to->input = open_role(ROLE_INPUT);
  to->log = to->input < 0 ? -1 : open_role(ROLE_LOG);
  return to->log >= 0;
}

static bool receive(int control, void *to, size_t size) {
  for (size_t have = 0; have < size;) {
    ssize_t count = read(control, (char *)to + have, size - have);
    if (count <= 0 && !(count < 0 && errno == EINTR)) return false;
    if (count > 0) have += (size_t)count;
  }
  return true;
}

static bool limit(int resource, rlim_t soft, rlim_t hard) {
  struct rlimit limits = { soft, hard };
  return !setrlimit((__rlimit_resource_t)resource, &limits);
}

/* The runtime's limits are not above these in every cluster: what it permits less of stays as it is. */
static bool limit_files(rlim_t files) {
  struct rlimit now;
  if (getrlimit(RLIMIT_NOFILE, &now)) return false;
  if (now.rlim_max < files) files = now.rlim_max;
  return limit(RLIMIT_NOFILE, files < SOFT_FILES ? files : SOFT_FILES, files);
}

static bool limit_all(const struct launch_head *head) {
  /* The kernel counts processes by user: without a namespace of its own the pod shares the count with others of the node. */
  if (!has_host_ids() && !limit(RLIMIT_NPROC, head->processes, head->processes)) return false;
  /* At 1 the kernel writes no core file, and starts no program for one either. */
  return limit_files(head->open_files) && limit(RLIMIT_CORE, 1, 1) && limit(RLIMIT_MEMLOCK, 0, 0);
}

char **launch_take(int control) {
  struct launch_head head;
  if (!receive(control, &head, sizeof head) || head.bytes < 2 || head.bytes > LAUNCH_BYTES) return NULL;
  char *bytes = malloc(head.bytes);
  if (!bytes || !receive(control, bytes, head.bytes) || bytes[head.bytes - 1]) return NULL;
  size_t count = 0, words = 0;
  for (size_t i = 0; i < head.bytes; i++) count += !bytes[i];
  char **list = calloc(count + 1, sizeof *list);
  if (!list || setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1)) return NULL;
  bool is_variable = false;
  for (char *at = bytes; at < bytes + head.bytes; at += strlen(at) + 1) {
    if (!*at && !is_variable) is_variable = true;
    else if (!is_variable) list[words++] = at;
    else if (putenv(at)) return NULL;
  }
  return words && limit_all(&head) ? list : NULL;
}
