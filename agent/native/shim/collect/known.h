/* Contents of files that the reader of a collected folder has already: their bytes need not be copied. */
#ifndef SANDBOX_KNOWN_H
#define SANDBOX_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/sha256.h"

/* Reads their list from the sandbox's folder. Without one, nothing is known. */
void known_open(int dir);

/* True if a content of that size is in the list: a file of another size need not be hashed. */
bool known_has_size(uint64_t size);

bool known_has(uint64_t size, const uint8_t digest[SHA256_BYTES]);

#endif
