/*
 * Loaded into a process before its own program runs (LD_PRELOAD): its memory and its environment are then root's to read,
 * in /proc and by ptrace, and no core of it is written. A process cannot be told so before its exec, which forgets it.
 */
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

__attribute__((constructor)) static void protect(void) {
  /* Its children are other programs. */
  unsetenv("LD_PRELOAD");
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) _exit(71);
}
