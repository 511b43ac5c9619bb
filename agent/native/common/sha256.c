#include "common/sha256.h"

#include <stdbool.h>
#include <string.h>

static const uint32_t constants[64] = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
  0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
  0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
  0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
  0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
  0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turned(uint32_t word, int by) { return word >> by | word << (32 - by); }

static uint32_t word_at(const uint8_t *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* One round. Instead of moving every word on, the next round gets them in other places. */
static inline void one_round(uint32_t a, uint32_t b, uint32_t c, uint32_t *d, uint32_t e, uint32_t f, uint32_t g, uint32_t *h, uint32_t word) {
  uint32_t first = *h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + word;
  *d += first;
  *h = first + (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
}

static void plain_blocks(uint32_t state[8], const uint8_t *bytes, size_t count) {
  for (; count; count--, bytes += SHA256_BLOCK) {
    uint32_t words[64];
    for (int i = 0; i < 16; i++) words[i] = word_at(bytes + 4 * i);
    for (int i = 16; i < 64; i++) {
      uint32_t early = words[i - 15], late = words[i - 2];
      words[i] = words[i - 16] + words[i - 7] + (turned(early, 7) ^ turned(early, 18) ^ early >> 3) +
                 (turned(late, 17) ^ turned(late, 19) ^ late >> 10);
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6], h = state[7];
    for (int i = 0; i < 64; i += 8) {
      one_round(a, b, c, &d, e, f, g, &h, constants[i] + words[i]);
      one_round(h, a, b, &c, d, e, f, &g, constants[i + 1] + words[i + 1]);
      one_round(g, h, a, &b, c, d, e, &f, constants[i + 2] + words[i + 2]);
      one_round(f, g, h, &a, b, c, d, &e, constants[i + 3] + words[i + 3]);
      one_round(e, f, g, &h, a, b, c, &d, constants[i + 4] + words[i + 4]);
      one_round(d, e, f, &g, h, a, b, &c, constants[i + 5] + words[i + 5]);
      one_round(c, d, e, &f, g, h, a, &b, constants[i + 6] + words[i + 6]);
      one_round(b, c, d, &e, f, g, h, &a, constants[i + 7] + words[i + 7]);
    }
    const uint32_t added[8] = { a, b, c, d, e, f, g, h };
    for (int i = 0; i < 8; i++) state[i] += added[i];
  }
}

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>

/* The instructions keep the state as the words a, b, e, f and c, d, g, h. Each round of the loop is four rounds of the definition. */
__attribute__((target("sha,sse4.1"))) static void fast_blocks(uint32_t state[8], const uint8_t *bytes, size_t count) {
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0bll, 0x0405060700010203ll);
  __m128i low = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xb1);
  __m128i high = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1b);
  __m128i abef = _mm_alignr_epi8(low, high, 8), cdgh = _mm_blend_epi16(high, low, 0xf0);
  for (; count; count--, bytes += SHA256_BLOCK) {
    __m128i words[4], abef_before = abef, cdgh_before = cdgh;
    for (int i = 0; i < 16; i++) {
      __m128i *word = &words[i & 3];
      if (i < 4) {
        *word = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)bytes + i), swap);
      } else {
        __m128i last = words[(i + 3) & 3];
        __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(*word, words[(i + 1) & 3]), _mm_alignr_epi8(last, words[(i + 2) & 3], 4));
        *word = _mm_sha256msg2_epu32(sum, last);
      }
      __m128i round = _mm_add_epi32(*word, _mm_loadu_si128((const __m128i *)constants + i));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, round);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(round, 0x0e));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  low = _mm_shuffle_epi32(abef, 0x1b);
  high = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(low, high, 0xf0));
  _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(high, low, 8));
}

static bool has_instructions(void) {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSE4_1) || !(c & bit_SSSE3)) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}
#endif

void sha256_start_plain(struct sha256 *hash) {
  static const uint32_t start[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
  memcpy(hash->state, start, sizeof start);
  hash->bytes = 0;
  hash->blocks = plain_blocks;
}

void sha256_start(struct sha256 *hash) {
  sha256_start_plain(hash);
#ifdef __x86_64__
  if (has_instructions()) hash->blocks = fast_blocks;
#endif
}

void sha256_add(struct sha256 *hash, const uint8_t *bytes, size_t count) {
  size_t held = hash->bytes % SHA256_BLOCK;
  hash->bytes += count;
  if (held) {
    size_t part = count < SHA256_BLOCK - held ? count : SHA256_BLOCK - held;
    memcpy(hash->rest + held, bytes, part);
    if (held + part < SHA256_BLOCK) return;
    hash->blocks(hash->state, hash->rest, 1);
    bytes += part;
    count -= part;
  }
  hash->blocks(hash->state, bytes, count / SHA256_BLOCK);
  memcpy(hash->rest, bytes + count / SHA256_BLOCK * SHA256_BLOCK, count % SHA256_BLOCK);
}

void sha256_end(struct sha256 *hash, uint8_t digest[SHA256_BYTES]) {
  static const uint8_t padding[SHA256_BLOCK] = { 0x80 };
  uint64_t bits = hash->bytes * 8;
  uint8_t length[8];
  for (int i = 0; i < 8; i++) length[i] = (uint8_t)(bits >> (56 - 8 * i));
  size_t held = hash->bytes % SHA256_BLOCK;
  sha256_add(hash, padding, held < 56 ? 56 - held : 120 - held);
  sha256_add(hash, length, sizeof length);
  for (int i = 0; i < SHA256_BYTES; i++) digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}
