/* Shared by the parts of process 1 of a job's container. See main.c for how it works. */
#ifndef POD_INIT_H
#define POD_INIT_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/loopback.h"

/* connections.c */
struct connections {
  int control, input, log;
};

/* Waits until the collector listens. False: it does not. */
bool connections_open(struct connections *to);

/* The words of the program, with its environment and limits taken over already. NULL: the launch is cut, or of another form. */
char **launch_take(int control);

/* confine.c */
/* Adds the filter of the platform's layer to that of the runtime, for all that follows. False: nothing may be started. */
bool confine(void);

/* relay.c */
enum { RELAY_BYTES = 1 << 16 };

/* Passes bytes on. Descriptors are -1 once they are closed. */
struct relay {
  int from, to;
  size_t start, end;
  char bytes[RELAY_BYTES];
};

/* Two entries: the events that it waits for. */
void relay_watch(const struct relay *relay, struct pollfd waits[2]);

/* Passes on what there is. At the end of `from` it closes both; where nobody reads any more, the rest is read and dropped. */
void relay_step(struct relay *relay);

/* Passes on everything that was written, when nobody writes any more. */
void relay_finish(struct relay *relay);

#endif
