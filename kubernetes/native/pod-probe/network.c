#define _GNU_SOURCE
#include "pod-probe/probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT_MS = 10000, GATEWAY_MS = 250, CANARY_MS = 50, PAUSE_MS = 50, BLOCKED_IN_A_ROW = 3 };

static long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

struct target {
  struct sockaddr_storage address;
  socklen_t size;
};

/* "ADDRESS PORT" */
static bool parse_target(const char *text, struct target *to) {
  char host[64];
  unsigned short port;
  struct sockaddr_in *v4 = (struct sockaddr_in *)&to->address;
  struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&to->address;
  memset(to, 0, sizeof *to);
  if (!text || sscanf(text, "%63s %hu", host, &port) != 2) return false;
  if (inet_pton(AF_INET, host, &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    to->size = sizeof *v4;
  } else if (inet_pton(AF_INET6, host, &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    to->size = sizeof *v6;
  } else return false;
  return true;
}

static bool reaches(const struct target *to, int timeout) {
  int error = 0;
  socklen_t size = sizeof error;
  int channel = socket(to->address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (channel < 0) return false;
  bool done = !connect(channel, (const struct sockaddr *)&to->address, to->size);
  /* Under gVisor a connect may be interrupted and goes on. */
  if (!done && (errno == EINPROGRESS || errno == EINTR)) {
    struct pollfd ready = { .fd = channel, .events = POLLOUT };
    done = poll(&ready, 1, timeout) == 1 && !getsockopt(channel, SOL_SOCKET, SO_ERROR, &error, &size) && !error;
  }
  close(channel);
  return done;
}

/* A port that does not answer proves something only while the network works: so the gateway is asked before each try. */
static void watch_canary(const struct target *gateway, const struct target *canary, long *reached_ms, int *gateway_ms, bool *blocked) {
  long start = now_ms();
  int in_a_row = 0;
  struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000L };
  *reached_ms = -1;
  *gateway_ms = -1;
  *blocked = false;
  while (now_ms() - start < LIMIT_MS) {
    long asked = now_ms();
    if (reaches(gateway, GATEWAY_MS)) {
      int took = (int)(now_ms() - asked);
      *gateway_ms = took;
      if (reaches(canary, took * 4 > CANARY_MS ? took * 4 : CANARY_MS)) {
        *reached_ms = now_ms() - start;
        in_a_row = 0;
      } else if (++in_a_row == BLOCKED_IN_A_ROW) {
        *blocked = true;
        return;
      }
    } else in_a_row = 0;
    nanosleep(&pause, NULL);
  }
}

int probe_network(void) {
  struct target gateway, canary;
  struct utsname kernel;
  char report[512];
  long reached_ms;
  int gateway_ms;
  bool blocked;
  if (!parse_target(getenv("SANDBOX_GATEWAY"), &gateway) || !parse_target(getenv("SANDBOX_CANARY"), &canary)) return 1;
  if (uname(&kernel)) return 1;
  watch_canary(&gateway, &canary, &reached_ms, &gateway_ms, &blocked);
  int size = snprintf(report, sizeof report, "{\"gateway_ms\":%d,\"canary_reached_ms\":%ld,\"canary_blocked\":%s,\"kernel\":\"%.64s\"}",
                      gateway_ms, reached_ms, blocked ? "true" : "false", kernel.release);
  int file = open("/dev/termination-log", O_WRONLY | O_CLOEXEC);
  if (file < 0 || write(file, report, (size_t)size) != size) return 1;
  return close(file) ? 1 : 0;
}
