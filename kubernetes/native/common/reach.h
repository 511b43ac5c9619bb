/* Which ports of the gateway's machine a pod reaches. */
#ifndef POD_REACH_H
#define POD_REACH_H

#include <stdbool.h>
#include <sys/socket.h>

struct target {
  struct sockaddr_storage address;
  socklen_t size;
};

/* From "ADDRESS PORT"; false if the text is of another form. */
bool target_parse(const char *text, struct target *to);

/* How the canary behaved: a port that no network policy allows, so whoever reaches it runs without policies. */
struct canary {
  /* When it was last reached, in milliseconds from the start, and how long the gateway took last; -1: never. */
  long reached_ms;
  int gateway_ms;
  /* It could not be reached several times in a row, while the gateway could. */
  bool blocked;
};

/* Watches until it is blocked, at most ten seconds. */
struct canary canary_watch(const struct target *gateway, const struct target *port);

#endif
