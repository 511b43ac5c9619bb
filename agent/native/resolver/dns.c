/*
 * Messages of name servers: reads what they hold and judges it, and changes nothing but times to live.
 */
#define _GNU_SOURCE
#include "resolver/resolver.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RANGES = 64 };

static struct { bool is6; uint8_t net[16]; int bits; } ranges[MAX_RANGES];
static int range_count;

uint16_t dns_get16(const uint8_t *at) { return at[0] << 8 | at[1]; }

void dns_put16(uint8_t *at, uint16_t value) {
  at[0] = (uint8_t)(value >> 8);
  at[1] = (uint8_t)value;
}

bool dns_read_ranges(char *text) {
  for (char *one; (one = strsep(&text, ",")) && range_count < MAX_RANGES; range_count++) {
    char *bits = strchr(one, '/');
    if (!bits) return false;
    *bits = 0;
    ranges[range_count].is6 = strchr(one, ':');
    ranges[range_count].bits = atoi(bits + 1);
    if (inet_pton(ranges[range_count].is6 ? AF_INET6 : AF_INET, one, ranges[range_count].net) != 1)
      return false;
  }
  return !text;
}

size_t dns_after_name(const uint8_t *message, size_t size, size_t at, bool plain) {
  size_t start = at;
  while (at < size) {
    uint8_t length = message[at];
    if (length == 0) return at + 1 - start <= NAME_MAX_BYTES ? at + 1 : 0;
    if ((length & 0xc0) == 0xc0) return !plain && at + 2 <= size ? at + 2 : 0;
    if (length > 63 || at - start > NAME_MAX_BYTES) return 0;
    at += 1 + length;
  }
  return 0;
}

static bool is_public(const struct address *address) {
  for (int i = 0; i < range_count; i++) {
    if (ranges[i].is6 != address->is6) continue;
    int whole = ranges[i].bits / 8, rest = ranges[i].bits % 8;
    uint8_t mask = rest ? 0xff << (8 - rest) : 0;
    if (memcmp(address->bytes, ranges[i].net, whole)) continue;
    if (!rest || !((address->bytes[whole] ^ ranges[i].net[whole]) & mask)) return false;
  }
  return true;
}

size_t dns_after_record(uint8_t *message, size_t size, size_t at, struct record *record) {
  *record = (struct record){ 0 };
  at = dns_after_name(message, size, at, false);
  if (!at || at + 10 > size) return 0;
  uint16_t type = dns_get16(message + at), length = dns_get16(message + at + 8);
  record->ttl = message + at + 4;
  at += 10;
  if (at + length > size || (type == TYPE_A && length != 4) || (type == TYPE_AAAA && length != 16)) return 0;
  record->has_address = type == TYPE_A || type == TYPE_AAAA;
  record->address.is6 = type == TYPE_AAAA;
  if (record->has_address) memcpy(record->address.bytes, message + at, length);
  return at + length;
}

size_t dns_after_answers(uint8_t *message, size_t size, size_t at, int count, struct record *inside) {
  while (count-- > 0) {
    at = dns_after_record(message, size, at, inside);
    if (!at || (inside->has_address && !is_public(&inside->address))) return 0;
  }
  return at;
}
