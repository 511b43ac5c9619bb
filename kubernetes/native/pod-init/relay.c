#define _GNU_SOURCE
#include "pod-init/pod-init.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static void close_end(int *end) {
  if (*end >= 0) close(*end);
  *end = -1;
}

static bool is_empty(const struct relay *relay) { return relay->start == relay->end; }

void relay_watch(const struct relay *relay, struct pollfd waits[2]) {
  waits[0] = (struct pollfd){ .fd = is_empty(relay) ? relay->from : -1, .events = POLLIN };
  waits[1] = (struct pollfd){ .fd = is_empty(relay) ? -1 : relay->to, .events = POLLOUT };
}

static bool is_for_later(void) { return errno == EAGAIN || errno == EINTR; }

/* False where nothing more can be done now. */
static bool fill(struct relay *relay) {
  if (relay->from < 0) return false;
  ssize_t count = read(relay->from, relay->bytes, sizeof relay->bytes);
  if (count < 0 && is_for_later()) return false;
  if (count <= 0) {
    close_end(&relay->from);
    close_end(&relay->to);
    return false;
  }
  relay->start = 0;
  relay->end = relay->to < 0 ? 0 : (size_t)count;
  return true;
}

static bool empty(struct relay *relay) {
  ssize_t count = write(relay->to, relay->bytes + relay->start, relay->end - relay->start);
  if (count < 0 && is_for_later()) return false;
  if (count > 0) relay->start += (size_t)count;
  else {
    close_end(&relay->to);
    relay->start = relay->end;
  }
  return true;
}

void relay_step(struct relay *relay) {
  if (is_empty(relay) && !fill(relay)) return;
  while (!is_empty(relay) && empty(relay)) continue;
}

void relay_finish(struct relay *relay) {
  if (relay->to >= 0) fcntl(relay->to, F_SETFL, 0);
  do {
    while (!is_empty(relay) && empty(relay)) continue;
  } while (fill(relay));
  close_end(&relay->to);
}
