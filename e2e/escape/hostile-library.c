/*
 * A library that a hostile environment names. Wherever it is loaded it leaves a mark: in the workspace of its own job, and
 * in a folder of the host's canaries (MARK) where a program of the host has taken the job's environment.
 */
#include <fcntl.h>
#include <unistd.h>

static void leave(const char *path) {
  int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (file >= 0) close(file);
}

__attribute__((constructor)) static void loaded(void) {
  leave(MARK);
  leave("/workspace/loaded");
}

/* What makes it one that LD_AUDIT takes. */
unsigned int la_version(unsigned int version) {
  leave(MARK);
  leave("/workspace/loaded");
  return version;
}
