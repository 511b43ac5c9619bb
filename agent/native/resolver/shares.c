/*
 * Parts of the resolver that one company's links share, so that no company takes it from the others. The agent gives links of one
 * company one number; a link without a number has a share of its own. A share bounds
 *
 *   questions in a time   by link and by share; what is beyond gets no answer
 *   pending questions     questions.c: when no slot is free, the share with the most loses its oldest
 *   streams               streams.c: the same
 *   failed names          remembered for FAILED_MS, so that asking again takes no slot. They are the share's own:
 *                         no company learns from the time of an answer what another has resolved
 *
 * Shares beyond MAX_SHARES are one: there are more of them than sandboxes on a machine.
 */
#define _GNU_SOURCE
#include "resolver/resolver.h"

#include <string.h>

enum { MAX_SHARES = 4096, FAILED_OF_ONE = 64, FAILED_MS = 5000 };
/* Questions in a second, and at once. */
enum { RATE_OF_LINK = 500, RATE_OF_SHARE = 1000 };
/* Above all numbers of the agent's. */
static const uint64_t own_share = 1ull << 63;

struct bucket {
  double left;
  uint64_t at_ms;
};

/* Slot 0 is that of all who found no slot. */
static struct share {
  uint64_t number;
  uint32_t links;
  struct bucket questions;
  struct { uint64_t hash, until_ms; } failed[FAILED_OF_ONE];
  unsigned next_failed;
} shares[MAX_SHARES];
static uint16_t slot_of[LINKS];
static bool has_share[LINKS];
static struct bucket questions_of[LINKS];

static uint16_t slot_for(uint64_t number) {
  uint16_t slot = 0;
  for (uint16_t i = 1; i < MAX_SHARES; i++) {
    if (shares[i].links && shares[i].number == number) return i;
    if (!shares[i].links && !slot) slot = i;
  }
  if (!slot) return 0;
  memset(&shares[slot], 0, sizeof shares[slot]);
  shares[slot].number = number;
  return slot;
}

void shares_leave(uint16_t link) {
  if (has_share[link]) shares[slot_of[link]].links--;
  has_share[link] = false;
  questions_of[link] = (struct bucket){ 0 };
}

void shares_join(uint16_t link, uint64_t number) {
  shares_leave(link);
  slot_of[link] = slot_for(number ? number : own_share | link);
  shares[slot_of[link]].links++;
  has_share[link] = true;
}

uint16_t shares_of(uint16_t link) {
  if (!has_share[link]) shares_join(link, 0);
  return slot_of[link];
}

static bool take_one(struct bucket *bucket, double rate, uint64_t now) {
  double grown = bucket->left + (double)(now - bucket->at_ms) * (rate / 1000);
  bucket->left = grown > rate || !bucket->at_ms ? rate : grown;
  bucket->at_ms = now;
  if (bucket->left < 1) return false;
  bucket->left -= 1;
  return true;
}

bool shares_take_token(uint16_t link, uint64_t now) {
  struct share *share = &shares[shares_of(link)];
  return take_one(&questions_of[link], RATE_OF_LINK, now) && take_one(&share->questions, RATE_OF_SHARE, now);
}

/* FNV-1a. A caller that makes two questions collide spoils the answers of its own share. */
static uint64_t hash_of(const uint8_t *question, size_t size) {
  uint64_t hash = 0xcbf29ce484222325;
  for (size_t i = 0; i < size; i++) hash = (hash ^ question[i]) * 0x100000001b3;
  return hash;
}

void shares_record_failure(uint16_t slot, const uint8_t *question, size_t size, uint64_t now) {
  struct share *share = &shares[slot];
  unsigned at = share->next_failed++ % FAILED_OF_ONE;
  share->failed[at].hash = hash_of(question, size);
  share->failed[at].until_ms = now + FAILED_MS;
}

bool shares_has_failed(uint16_t slot, const uint8_t *question, size_t size, uint64_t now) {
  const struct share *share = &shares[slot];
  uint64_t hash = hash_of(question, size);
  for (int i = 0; i < FAILED_OF_ONE; i++)
    if (share->failed[i].hash == hash && share->failed[i].until_ms > now) return true;
  return false;
}
