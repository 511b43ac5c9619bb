/*
 * For tests: the masks of the shim between standard input and output, without a sandbox. Reads what the agent sends of
 * them (input.c), then the log in chunks as it would come from a pipe: 4 bytes length, then the bytes.
 * With an argument, a zero byte stands behind what has gone on by the end of each chunk.
 */
#define _GNU_SOURCE
#include "shim/shim.h"

#include <stdlib.h>
#include <unistd.h>

static void read_all(void *bytes, size_t count) {
  if (fread(bytes, 1, count, stdin) != count) exit(3);
}

void log_append(const char *bytes, size_t count) {
  if (fwrite(bytes, 1, count, stdout) != count) exit(4);
}

_Noreturn void shim_fail(const char *slug) {
  fprintf(stderr, "%s", slug);
  exit(2);
}

int main(int arguments, char **unused) {
  (void)unused;
  static char chunk[LOG_CHUNK_BYTES];
  static uint8_t values[MASK_ALL_BYTES];
  uint32_t sizes[MASK_VALUES], count, all = 0;
  read_all(&count, sizeof count);
  if (count > MASK_VALUES) exit(3);
  for (uint32_t i = 0; i < count; all += sizes[i++]) {
    read_all(&sizes[i], sizeof sizes[i]);
    if (sizes[i] > sizeof values - all) exit(3);
    read_all(values + all, sizes[i]);
  }
  mask_set_values(values, sizes, count);
  while (fread(&count, sizeof count, 1, stdin) == 1) {
    if (count > sizeof chunk) exit(3);
    read_all(chunk, count);
    mask_append(chunk, count);
    if (arguments > 1) log_append("", 1);
  }
  mask_flush();
  return 0;
}
