#define _GNU_SOURCE
#include "common/reach.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT_MS = 10000, GATEWAY_MS = 250, CANARY_MS = 50, PAUSE_MS = 50, BLOCKED_IN_A_ROW = 3 };

static long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool target_parse(const char *text, struct target *to) {
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
struct canary canary_watch(const struct target *gateway, const struct target *port) {
  struct canary seen = { .reached_ms = -1, .gateway_ms = -1 };
  struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000L };
  long start = now_ms();
  for (int in_a_row = 0; now_ms() - start < LIMIT_MS; nanosleep(&pause, NULL)) {
    long asked = now_ms();
    if (!reaches(gateway, GATEWAY_MS)) {
      in_a_row = 0;
      continue;
    }
    seen.gateway_ms = (int)(now_ms() - asked);
    if (reaches(port, seen.gateway_ms * 4 > CANARY_MS ? seen.gateway_ms * 4 : CANARY_MS)) {
      seen.reached_ms = now_ms() - start;
      in_a_row = 0;
    } else if (++in_a_row == BLOCKED_IN_A_ROW) {
      seen.blocked = true;
      return seen;
    }
  }
  return seen;
}
