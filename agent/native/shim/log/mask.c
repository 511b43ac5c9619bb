/*
 * Masks values in the log as it streams by. Each form of each value is cut into pieces of MASK_PIECE_MIN to MASK_PIECE_MAX bytes
 * (mask-forms.c). Every occurrence of a piece becomes part of a mark, however the log is split into chunks. Where a value was
 * printed in part, less than two pieces of it remain in a row.
 *
 * Memory holds hashes of the pieces and of their prefixes under a random key of this sandbox: no value stays in memory, and
 * nobody can write a log that is slow to mask. At most MASK_PIECE_MAX bytes are read from each position, and mostly one. Bytes
 * that may be a prefix of a piece are held back for the next ones; all others are appended at once.
 */
#define _GNU_SOURCE
#include "shim/shim.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { MAX_PIECES = 1 << 19, MIN_PREFIX_BITS = 1 << 16, PREFIX_BITS_PER_PIECE = 256 };

static const uint64_t prime = (1ull << 61) - 1;
static const char mark[] = "[masked]";

/* Hashes of the pieces, and with LINE_END those of their prefixes up to the first new line. */
static const uint64_t LINE_END = 1ull << 62;
static uint64_t key, *pieces;
static uint8_t *prefixes;
static size_t piece_mask, prefix_mask;
/* Bit n: some piece has n bytes. */
static uint64_t lengths;

/* Bytes that are not decided yet, before the chunk at hand. */
static char window[MASK_PIECE_MAX + LOG_CHUNK_BYTES];
static size_t held;
/* Bytes at the window's start that belong to a piece found already, and whether the last byte that went by did. */
static size_t covered;
static bool in_mark;

static size_t power_of_two(size_t least) {
  size_t size = 1;
  while (size < least) size *= 2;
  return size;
}

static void make_room(size_t count) {
  if (count > MAX_PIECES) shim_fail("mask_count");
  size_t slots = power_of_two(4 * count);
  size_t bits = power_of_two(count * PREFIX_BITS_PER_PIECE);
  if (bits < MIN_PREFIX_BITS) bits = MIN_PREFIX_BITS;
  pieces = calloc(slots, sizeof *pieces);
  prefixes = calloc(bits / 8, 1);
  if (!pieces || !prefixes || getrandom(&key, sizeof key, 0) != sizeof key) shim_fail("mask_memory");
  key = key % (prime - 256) + 256;
  piece_mask = slots - 1;
  prefix_mask = bits - 1;
}

/* A polynomial over the bytes modulo 2^61 - 1; never 0, which marks a free slot. */
static uint64_t extend_hash(uint64_t hash, unsigned char byte) {
  unsigned __int128 product = (unsigned __int128)hash * key + byte + 1;
  uint64_t sum = ((uint64_t)product & prime) + (uint64_t)(product >> 61);
  return sum > prime ? sum - prime : sum;
}

/* Where it is, or the free slot for it. */
static uint64_t *slot_of(uint64_t hash) {
  size_t slot = hash & piece_mask;
  while (pieces[slot] && pieces[slot] != hash) slot = (slot + 1) & piece_mask;
  return pieces + slot;
}

static bool has_piece(uint64_t hash) { return *slot_of(hash); }

/* Now and then true of what is no prefix; never where a line ends, which would have to wait for the next one. */
static bool may_be_prefix(uint64_t hash, bool at_line_end) {
  size_t bit = hash & prefix_mask;
  return (prefixes[bit / 8] >> bit % 8 & 1) && (!at_line_end || *slot_of(hash | LINE_END));
}

static void add_piece(const uint8_t *bytes, size_t count) {
  uint64_t hash = 0;
  const uint8_t *line_end = memchr(bytes, '\n', count);
  if (count < MASK_PIECE_MIN || count > MASK_PIECE_MAX) shim_fail("mask_length");
  for (size_t i = 0; i < count; i++) {
    hash = extend_hash(hash, bytes[i]);
    prefixes[(hash & prefix_mask) / 8] |= 1 << (hash & prefix_mask) % 8;
    if (bytes + i == line_end) *slot_of(hash | LINE_END) = hash | LINE_END;
  }
  lengths |= 1ull << count;
  *slot_of(hash) = hash;
}

static size_t counted;

static void count_piece(const uint8_t *bytes, size_t count) {
  (void)bytes, (void)count;
  counted++;
}

void mask_set_values(uint8_t *values, const uint32_t *sizes, uint32_t count) {
  if (!count) return;
  size_t all = 0;
  for (uint32_t i = 0; i < count; all += sizes[i++]) mask_forms_of(values + all, sizes[i], count_piece);
  make_room(counted);
  all = 0;
  for (uint32_t i = 0; i < count; all += sizes[i++]) mask_forms_of(values + all, sizes[i], add_piece);
  explicit_bzero(values, all);
}

/* The length of the longest piece at `bytes`; `undecided` when more bytes could make it longer. */
static size_t piece_at(const char *bytes, size_t available, bool *undecided) {
  uint64_t hash = 0;
  bool one_line = true;
  size_t found = 0, most = available < MASK_PIECE_MAX ? available : MASK_PIECE_MAX;
  *undecided = false;
  for (size_t i = 0; i < most; i++) {
    hash = extend_hash(hash, bytes[i]);
    bool at_line_end = one_line && bytes[i] == '\n';
    if (!may_be_prefix(hash, at_line_end)) return found;
    if (at_line_end) one_line = false;
    if (lengths >> (i + 1) & 1 && has_piece(hash)) found = i + 1;
  }
  *undecided = available < MASK_PIECE_MAX;
  return found;
}

/* Passes on what is decided of the first `count` bytes of the window; all of it when the log has come to its end. */
static void emit(size_t count, bool at_end) {
  size_t at = 0, clean = 0;
  for (bool undecided; at < count; at++) {
    size_t found = piece_at(window + at, count - at, &undecided);
    if (undecided && !at_end) break;
    if (found > covered) covered = found;
    if (!covered) {
      in_mark = false;
      continue;
    }
    if (at > clean) log_append(window + clean, at - clean);
    if (!in_mark) log_append(mark, sizeof mark - 1);
    in_mark = true;
    clean = at + 1;
    covered--;
  }
  if (at > clean) log_append(window + clean, at - clean);
  held = count - at;
  memmove(window, window + at, held);
}

void mask_append(const char *bytes, size_t count) {
  if (!pieces) {
    log_append(bytes, count);
    return;
  }
  memcpy(window + held, bytes, count);
  emit(held + count, false);
}

void mask_flush(void) {
  if (pieces) emit(held, true);
}
