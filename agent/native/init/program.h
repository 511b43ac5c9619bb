/* The program of a sandbox, as process 1 starts it, follows it and reports on it to its supervisor. */
#ifndef SANDBOX_PROGRAM_H
#define SANDBOX_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

/* How the program ended, unless process 1 was asked to end all. */
struct program_end {
  bool by_itself, shared_memory_full;
  int status;
};

/* Reports go to `supervisor`, which is trusted with nothing else, and when it is gone process 1 exits. False: nothing can be started. */
bool program_prepare(int supervisor);

/* A message of eight bytes. */
void program_report(uint32_t kind, uint32_t value);

/* Starts it from descriptors 0 to 2. False: it cannot be started, which is reported. */
bool program_start(char **words);

/* A descriptor that is readable when a process has ended. */
int program_signals(void);

/*
 * Reads a request of the supervisor and passes it on to all processes: SIGKILL at a `K`, otherwise SIGTERM. A stopped process gets its
 * signal only once it goes on. False when the supervisor is gone.
 */
bool program_pass_on(void);

/* Reaps. True once the program has ended by itself, or all processes have after a request. */
bool program_has_ended(struct program_end *end);

void program_report_end(const struct program_end *end);

#endif
