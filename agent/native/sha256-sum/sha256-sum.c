/* For tests: the SHA-256 of standard input, which it reads in pieces of argv[2] bytes; `plain` as argv[1]: without special instructions. */
#include "common/sha256.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **arguments) {
  static uint8_t buffer[1 << 18];
  struct sha256 hash;
  uint8_t digest[SHA256_BYTES];
  size_t piece = count == 3 ? strtoul(arguments[2], NULL, 10) : 0, got;
  if (!piece || piece > sizeof buffer) return 2;
  if (strcmp(arguments[1], "plain")) sha256_start(&hash);
  else sha256_start_plain(&hash);
  while ((got = fread(buffer, 1, piece, stdin)) > 0) sha256_add(&hash, buffer, got);
  sha256_end(&hash, digest);
  for (int i = 0; i < SHA256_BYTES; i++) printf("%02x", digest[i]);
  return 0;
}
