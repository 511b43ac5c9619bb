#define _GNU_SOURCE
#include "collector/collector.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_DELAY_MS = 100, LONGEST_DELAY_MS = 2000 };

static uint64_t now_ms(void) { return clock_ms(CLOCK_MONOTONIC); }

void errand_begin(struct errand *errand, const struct request *request) {
  errand->request = *request;
  errand->busy = true;
  errand->delay_ms = FIRST_DELAY_MS;
  errand->again_ms = 0;
  exchange_begin(&errand->exchange, &errand->request);
}

/* Too slow, or not available for now; or no answer at all. */
static bool is_to_repeat(int status) { return status == 0 || status == 408 || status >= 500; }

bool errand_step(struct errand *errand) {
  if (!errand->busy) return false;
  if (errand->again_ms) {
    if (now_ms() < errand->again_ms) return false;
    errand->again_ms = 0;
    exchange_begin(&errand->exchange, &errand->request);
  }
  struct exchange *exchange = &errand->exchange;
  exchange_step(exchange);
  if (exchange->state != EXCHANGE_DONE && exchange->state != EXCHANGE_BROKEN) return false;
  int status = exchange->state == EXCHANGE_DONE ? exchange->status : 0;
  if (is_to_repeat(status)) {
    exchange_close(exchange);
    errand->again_ms = now_ms() + errand->delay_ms;
    errand->delay_ms = errand->delay_ms * 2 < LONGEST_DELAY_MS ? errand->delay_ms * 2 : LONGEST_DELAY_MS;
    return false;
  }
  errand->busy = false;
  /* The gateway ends a connection after any other answer. */
  if (status != 200) exchange_close(exchange);
  else if (!errand->request.streams) exchange->state = EXCHANGE_IDLE;
  return true;
}

struct pollfd errand_watch(const struct errand *errand, uint64_t *until_ms) {
  struct pollfd wait = { .fd = -1 };
  if (!errand->busy) return wait;
  uint64_t until = errand->again_ms ? errand->again_ms : errand->exchange.until_ms + 1;
  if (until < *until_ms) *until_ms = until;
  if (!errand->again_ms && errand->exchange.state != EXCHANGE_BROKEN) wait = (struct pollfd){ .fd = errand->exchange.socket, .events = errand->exchange.events };
  else if (!errand->again_ms) *until_ms = 0;
  return wait;
}

int errand_finish(struct errand *errand, uint64_t until_ms) {
  while (!errand_step(errand)) {
    uint64_t now = now_ms(), next = until_ms;
    if (!errand->busy || now >= until_ms) return 0;
    struct pollfd wait = errand_watch(errand, &next);
    poll(&wait, 1, next > now ? (int)(next - now) : 0);
  }
  return errand->exchange.status;
}

uint64_t errand_number(const struct errand *errand, const char *key, uint64_t otherwise) {
  const char *found = strstr(errand->exchange.answer + errand->exchange.body_from, key);
  if (!found) return otherwise;
  found += strlen(key);
  return *found >= '0' && *found <= '9' ? strtoull(found, NULL, 10) : otherwise;
}
