#define _GNU_SOURCE
#include "collector/collector.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/loopback.h"

/* The job's container may start later: its image is larger. */
enum { WAIT_MS = 180000, ROLE_MS = 5000 };

static int listener = -1;
struct peer peer = { -1, -1, -1 };

void peer_listen(void) {
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(LOOPBACK_PORT), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  int reuse = 1;
  listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse)) _exit(1);
  if (bind(listener, (const struct sockaddr *)&address, sizeof address) || listen(listener, 8)) _exit(1);
}

static int *place_of(char role) {
  switch (role) {
  case ROLE_CONTROL: return &peer.control;
  case ROLE_INPUT: return &peer.input;
  case ROLE_LOG: return &peer.log;
  default: return NULL;
  }
}

/* A connection that process 1 gave up, under gVisor, has no role. */
static void take_one(void) {
  char role;
  int channel = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (channel < 0) return;
  struct pollfd wait = { .fd = channel, .events = POLLIN };
  bool has_role = poll(&wait, 1, ROLE_MS) == 1 && read(channel, &role, 1) == 1;
  int *place = has_role ? place_of(role) : NULL;
  if (place && *place < 0) *place = channel;
  else close(channel);
}

void peer_accept(void) {
  uint64_t until = clock_ms(CLOCK_MONOTONIC) + WAIT_MS;
  while (peer.control < 0 || peer.input < 0 || peer.log < 0) {
    uint64_t now = clock_ms(CLOCK_MONOTONIC);
    struct pollfd wait = { .fd = listener, .events = POLLIN };
    if (now >= until) shim_fail("runtime");
    if (poll(&wait, 1, (int)(until - now)) == 1) take_one();
  }
  close(listener);
}

static void send_all(const void *bytes, size_t size) {
  for (size_t sent = 0; sent < size;) {
    struct pollfd wait = { .fd = peer.control, .events = POLLOUT };
    ssize_t count = send(peer.control, (const char *)bytes + sent, size - sent, MSG_NOSIGNAL);
    if (count < 0 && (errno != EAGAIN || poll(&wait, 1, ROLE_MS) != 1)) shim_fail("runtime");
    if (count > 0) sent += (size_t)count;
  }
}

void peer_launch(void) {
  struct launch_head head = { start_limits.open_files, start_limits.processes, start_program_bytes };
  send_all(&head, sizeof head);
  send_all(start_program, start_program_bytes);
  free(start_program);
  start_program = NULL;
}
