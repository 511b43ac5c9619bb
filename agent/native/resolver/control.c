/*
 * The agent's lines on descriptor 0. Each has one answer, which ends with `done` or, where there is no room, `failed`:
 *
 *   list <link> <names>   holds the link to these names, comma-separated, `*.` before one for all below it; may be empty
 *   share <link> <number> links of one number share one part of the resolver, see shares.c
 *   record <link>         records what it reaches, see refusals.c
 *   drop <link>           it has none of these any more, and nothing is reported of it
 *   take <link>           reports what was refused to it and what it reached, see refusals.c, and forgets that
 *   serve                 every list was sent: from now on questions are answered
 */
#define _GNU_SOURCE
#include "resolver/resolver.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static bool ready;

bool control_ready(void) { return ready; }

/* The process ends when the agent reads nothing for so long. */
enum { SEND_TIMEOUT_MS = 2000 };

void control_send(const char *line, size_t size) {
  while (size) {
    struct pollfd room = { .fd = 1, .events = POLLOUT };
    ssize_t count = send(1, line, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0 && errno != EINTR && (errno != EAGAIN || poll(&room, 1, SEND_TIMEOUT_MS) == 0)) _exit(1);
    if (count > 0) line += count, size -= count;
  }
}

static void drop(uint16_t link) {
  questions_drop(link);
  streams_drop(link);
  lists_drop(link);
  shares_leave(link);
  refusals_drop(link);
}

static bool execute(char *line) {
  const char *command = strsep(&line, " ");
  if (!strcmp(command, "serve")) return ready = true;
  const char *number = strsep(&line, " ");
  int index = number ? atoi(number) : 0;
  if (index <= 0 || index >= LINKS) return false;
  uint16_t link = (uint16_t)index;
  if (!strcmp(command, "list")) return line && lists_set(link, line);
  if (!strcmp(command, "share") && line) shares_join(link, strtoull(line, NULL, 10));
  else if (!strcmp(command, "record")) refusals_record(link);
  else if (!strcmp(command, "drop")) drop(link);
  else if (!strcmp(command, "take")) refusals_report(link);
  else return false;
  return true;
}

void control_read(void) {
  static char text[40960];
  static size_t have;
  ssize_t count = recv(0, text + have, sizeof text - have, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) _exit(0);
  have += count;
  for (char *end; (end = memchr(text, '\n', have));) {
    size_t size = end + 1 - text;
    *end = 0;
    if (execute(text)) control_send("done\n", 5);
    else control_send("failed\n", 7);
    have -= size;
    memmove(text, end + 1, have);
  }
  if (have == sizeof text) _exit(1);
}
