/*
 * A library that a hostile environment names. It leaves a mark where it is loaded: in the workspace of its own job, or in a
 * folder of the host's canaries (MARK) if a program of the host uses the job's environment.
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

/* LD_AUDIT requires this function. */
unsigned int la_version(unsigned int version) {
  leave(MARK);
  leave("/workspace/loaded");
  return version;
}
