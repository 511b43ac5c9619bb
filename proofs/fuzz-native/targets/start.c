/* Reads the input as the head of a job's input, as a collector does: whatever it holds, the plan is within its bounds or the start is refused. */
#define _GNU_SOURCE
#include "collector/start.c"

#include <setjmp.h>

struct plan shim_plan;
int shim_folder = -1;
static jmp_buf refused;
static const uint8_t *rest;
static size_t left;

ssize_t exchange_read(struct exchange *exchange, char *to, size_t size) {
  (void)exchange;
  if (!left) return -1;
  /* Pieces of all sizes: a stream divides as it wants. */
  size_t count = 1 + left % 7 < size ? 1 + left % 7 : size;
  if (count > left) count = left;
  memcpy(to, rest, count);
  rest += count;
  left -= count;
  return (ssize_t)count;
}

_Noreturn void shim_fail(const char *slug) {
  if (!*slug) abort();
  longjmp(refused, 1);
}

_Noreturn void start_cut(void) { longjmp(refused, 1); }

void mask_set_values(uint8_t *values, const uint32_t *sizes, uint32_t count) {
  uint64_t all = 0;
  volatile uint8_t last;
  for (uint32_t i = 0; i < count; all += sizes[i++])
    if (sizes[i] < MASK_PIECE_MIN || sizes[i] > MASK_VALUE_BYTES) abort();
  if (all > MASK_ALL_BYTES || count > MASK_VALUES) abort();
  if (all) last = values[all - 1];
  (void)last;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static struct exchange input;
  if (shim_folder < 0) shim_folder = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  unlinkat(shim_folder, "folder.known", 0);
  memset(&shim_plan, 0, sizeof shim_plan);
  free(start_program);
  start_program = NULL;
  rest = bytes;
  left = size;
  if (setjmp(refused)) return 0;
  start_read(&input);
  for (int i = 0; i < shim_plan.file_count; i++)
    if (!shim_plan.files[i].path) abort();
  if (shim_plan.file_count > MAX_FILES || !shim_plan.collect_seconds || (start_program_bytes && !start_program)) abort();
  return 0;
}
