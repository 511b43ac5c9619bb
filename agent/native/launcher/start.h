/* The launcher as the shim calls it. See launcher.c for how it works. */
#ifndef SANDBOX_LAUNCHER_START_H
#define SANDBOX_LAUNCHER_START_H

#include <stddef.h>
#include <sys/types.h>

#include "launcher/steps.h"

/*
 * Starts process 1 from its description, sets its id, and exits. The caller is a child with the memory of its parent, which is suspended
 * until then.
 */
_Noreturn void launcher_start(char *description, size_t bytes, volatile pid_t *first);

#endif
