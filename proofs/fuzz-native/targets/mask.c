/*
 * Masks a log in chunks that the input chooses, and again in one. Both have to give the same result, without any complete value.
 * The input: the number of values, of each its length and its bytes; then, of each chunk, its length and its bytes.
 */
#include "shim/log/mask.c"

#include <stdio.h>

enum { OUT_BYTES = 1 << 20, MAX_VALUES = 4 };

static char out[2][OUT_BYTES];
static size_t out_bytes[2];
static int run;

void log_append(const char *bytes, size_t count) {
  if (count > OUT_BYTES - out_bytes[run]) abort();
  memcpy(out[run] + out_bytes[run], bytes, count);
  out_bytes[run] += count;
}

_Noreturn void shim_fail(const char *slug) {
  fprintf(stderr, "%s\n", slug);
  abort();
}

static void forget_values(void) {
  free(pieces);
  free(prefixes);
  pieces = NULL;
  prefixes = NULL;
  lengths = counted = held = covered = 0;
  in_mark = false;
}

static void set_values(const uint8_t *values, const uint32_t *sizes, uint32_t count) {
  static uint8_t copy[MAX_VALUES * 256];
  size_t all = 0;
  for (uint32_t i = 0; i < count; i++) all += sizes[i];
  memcpy(copy, values, all);
  out_bytes[run] = 0;
  mask_set_values(copy, sizes, count);
  for (size_t i = 0; count && i < all; i++)
    if (copy[i]) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static uint8_t values[MAX_VALUES * 256];
  static char whole[LOG_CHUNK_BYTES];
  uint32_t sizes[MAX_VALUES], count = 0;
  size_t at = 0, all = 0, log_bytes = 0;
  if (size < 1 || size > LOG_CHUNK_BYTES) return 0;
  for (uint32_t wanted = bytes[at++] % (MAX_VALUES + 1); count < wanted && at < size; count++) {
    size_t length = bytes[at++];
    if (length < MASK_PIECE_MIN || length > size - at) return 0;
    memcpy(values + all, bytes + at, length);
    sizes[count] = (uint32_t)length;
    all += length;
    at += length;
  }
  run = 0;
  set_values(values, sizes, count);
  while (at < size) {
    size_t length = bytes[at++];
    if (length > size - at) length = size - at;
    memcpy(whole + log_bytes, bytes + at, length);
    mask_append((const char *)bytes + at, length);
    log_bytes += length;
    at += length;
  }
  mask_flush();
  forget_values();
  run = 1;
  set_values(values, sizes, count);
  mask_append(whole, log_bytes);
  mask_flush();
  forget_values();
  if (out_bytes[0] != out_bytes[1] || memcmp(out[0], out[1], out_bytes[0])) abort();
  return 0;
}
