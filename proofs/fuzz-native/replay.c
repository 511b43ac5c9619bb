/* Runs a target once on each file of the command line, for builds without the fuzzer. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int main(int count, char **paths) {
  enum { MAX_BYTES = 1 << 22 };
  for (int i = 1; i < count; i++) {
    FILE *file = fopen(paths[i], "rb");
    uint8_t *bytes = malloc(MAX_BYTES);
    if (!file || !bytes) return 2;
    size_t size = fread(bytes, 1, MAX_BYTES, file);
    fclose(file);
    /* Exact size, so that the sanitizer finds reads beyond it. */
    bytes = realloc(bytes, size ? size : 1);
    fprintf(stderr, "%s\n", paths[i]);
    LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
  }
  return 0;
}
