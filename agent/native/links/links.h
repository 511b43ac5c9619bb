/* Shared by the parts of the link maker. See links.c for how it works. */
#ifndef SANDBOX_LINKS_H
#define SANDBOX_LINKS_H

#include <netinet/in.h>
#include <stdbool.h>

/* The address of index 1 is the router's. The device of index N outside the sandbox has the number FIRST_OUTSIDE + N. */
enum { FIRST_INDEX = 2, INDEXES = 65000, FIRST_OUTSIDE = 1000 };

/* links.c */
/* The index of the link that has this address; 0 for none. */
int links_index_of4(const struct in_addr *address);
int links_index_of6(const struct in6_addr *address);

/* tracked.c: connections in the kernel's tables */
/* Call in the host's network namespace; all other calls in the router's. */
bool tracked_open_host(void);
/* The link has ended: the next sweep deletes its connections. */
void tracked_forget(int index);
/* Reads the whole table, unless no link has ended since the last sweep. */
void tracked_sweep(void);

#endif
