/*
 * Loaded into a process before its own program runs (LD_PRELOAD): its memory and its environment are then root's to read,
 * in /proc and by ptrace, and no core of it is written. This cannot be set for a process before its exec, which forgets it.
 */
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

__attribute__((constructor)) static void protect(void) {
  /* Its children are other programs. */
  unsetenv("LD_PRELOAD");
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) _exit(71);
}
