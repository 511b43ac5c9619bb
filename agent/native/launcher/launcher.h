/* Shared by the parts of the launcher. See launcher.c for how it works. */
#ifndef SANDBOX_LAUNCHER_H
#define SANDBOX_LAUNCHER_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "launcher/start.h"

enum { MAX_MOUNTS = 64, MAX_LINKS = 16, MAX_PATHS = 32, MAX_SETTINGS = 4, MAX_LIMITS = 16, MAX_ARGUMENTS = 300, MAX_VARIABLES = 1100 };

/* A sandbox, as the agent describes it. Texts lie in the description, which stays in memory until the program is executed. */
struct description {
  const char *hostname, *root, *folder;
  /* As the kernel reads them: first id inside, first id outside, count. */
  const char *uid_map, *gid_map;
  /* Flags of clone(). */
  uint64_t namespaces;

  /* New file systems, and trees of the host: those have no type. */
  struct { const char *place, *type, *source, *flags, *options; } mounts[MAX_MOUNTS];
  int mount_count;
  struct { const char *place, *source; } devices[MAX_PATHS];
  int device_count;
  struct { const char *place, *target; } links[MAX_LINKS];
  int link_count;
  /* Of the network namespace alone. */
  struct { const char *name, *value; } settings[MAX_SETTINGS];
  int setting_count;
  const char *read_only[MAX_PATHS];
  int read_only_count;
  const char *masked[MAX_PATHS];
  int masked_count;

  struct { int resource; struct rlimit limit; } limits[MAX_LIMITS];
  int limit_count;
  uint32_t uid, gid;
  mode_t mask;
  bool has_user;
  /* Bit N is capability N. */
  uint64_t capabilities;
  struct sock_fprog filter;

  char *arguments[MAX_ARGUMENTS + 1];
  int argument_count;
  char *variables[MAX_VARIABLES + 1];
  int variable_count;
};

/* launcher.c */
/* Ends the start: writes the step and errno to the log, and exits with the number of the step. */
_Noreturn void launcher_fail(enum launcher_step step, const char *what);

/* description.c */
/* Its texts lie in `bytes`, which stay. */
void description_read(struct description *description, char *bytes, size_t size);

/* root.c */
/* Builds the file systems of the sandbox and makes them the root. */
void root_build(const struct description *description);

/* rights.c */
/* Becomes root of the new user namespace, which has every right in it and none outside. */
void rights_become_root(void);
/* Gives up every right but those of the description. */
void rights_drop(const struct description *description);

#endif
