#ifndef POD_HOST_IDS_H
#define POD_HOST_IDS_H

#include <stdbool.h>
#include <stddef.h>

/* Users of the pod are users of the node. */
bool has_host_ids(void);

/* The start of a small file; false if it cannot be read. */
bool read_small(const char *path, char *text, size_t size);

#endif
