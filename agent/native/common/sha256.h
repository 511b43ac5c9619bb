/* SHA-256 (FIPS 180-4). */
#ifndef SANDBOX_SHA256_H
#define SANDBOX_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32, SHA256_BLOCK = 64 };

struct sha256 {
  uint32_t state[8];
  uint64_t bytes;
  uint8_t rest[SHA256_BLOCK];
  /* Hashes whole blocks. */
  void (*blocks)(uint32_t state[8], const uint8_t *bytes, size_t count);
};

/* Uses the instructions of the processor for it where it has them. */
void sha256_start(struct sha256 *hash);
/* Uses no special instructions. */
void sha256_start_plain(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const uint8_t *bytes, size_t count);
void sha256_end(struct sha256 *hash, uint8_t digest[SHA256_BYTES]);

#endif
