/*
 * Lists of names that links are held to. An address that a listed name leads to is made reachable by a datagram: the
 * router's rules (rules.ts) take its destination and its port, which is the link's number, into the set of what that
 * link may reach, and drop it. So this process needs no right to change a rule, and an address is reachable before its
 * name is answered.
 */
#define _GNU_SOURCE
#include "resolver/resolver.h"

#include <string.h>
#include <sys/socket.h>

/* GRANT_PORT as in rules.ts; a grant is renewed when the name is resolved again after AGAIN_MS. */
enum { MAX_LISTS = 1024, LIST_BYTES = 32768, MAX_GRANTED = 1024, GRANT_PORT = 1, GRANT_MS = 600000, AGAIN_MS = 60000 };

static struct list {
  bool used;
  char names[LIST_BYTES];
  struct { struct address address; uint64_t at_ms; } granted[MAX_GRANTED];
} lists[MAX_LISTS];
/* Slot of a link's list, from 1. */
static uint16_t slot_of[LINKS];
static int grants4 = -1, grants6 = -1;

bool lists_open(void) {
  struct sockaddr_in from4 = { .sin_family = AF_INET, .sin_port = htons(GRANT_PORT) };
  struct sockaddr_in6 from6 = { .sin6_family = AF_INET6, .sin6_port = htons(GRANT_PORT) };
  int yes = 1;
  grants4 = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (grants4 < 0 || bind(grants4, (struct sockaddr *)&from4, sizeof from4)) return false;
  /* A kernel without IPv6 forwards none. */
  grants6 = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  return grants6 < 0 || (!setsockopt(grants6, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes) &&
                         !bind(grants6, (struct sockaddr *)&from6, sizeof from6));
}

bool lists_set(uint16_t link, const char *names) {
  int at = slot_of[link] - 1;
  for (int i = 0; at < 0 && i < MAX_LISTS; i++)
    if (!lists[i].used) at = i;
  if (at < 0 || strlen(names) >= LIST_BYTES) return false;
  memset(&lists[at], 0, sizeof lists[at]);
  lists[at].used = true;
  strcpy(lists[at].names, names);
  slot_of[link] = (uint16_t)(at + 1);
  return true;
}

void lists_drop(uint16_t link) {
  if (slot_of[link]) lists[slot_of[link] - 1].used = false;
  slot_of[link] = 0;
}

bool lists_has(uint16_t link) { return slot_of[link]; }

/* A name as text, in small letters; false for one that no list can hold. */
static bool name_text(const uint8_t *name, char *text) {
  size_t size = 0;
  for (uint8_t length; (length = *name++); text[size++] = '.')
    for (; length > 0; length--, name++) {
      uint8_t letter = *name >= 'A' && *name <= 'Z' ? *name | 0x20 : *name;
      if (letter <= ' ' || letter >= 0x7f || letter == '.' || letter == ',' || letter == '*') return false;
      text[size++] = letter;
    }
  if (!size) return false;
  text[size - 1] = 0;
  return true;
}

/* `*.` stands for one label or more. */
static bool matches(const char *entry, size_t size, const char *name) {
  size_t length = strlen(name);
  if (size > 2 && entry[0] == '*') return length > size - 1 && !memcmp(name + length - (size - 1), entry + 1, size - 1);
  return size == length && !memcmp(entry, name, size);
}

bool lists_allows(uint16_t link, const uint8_t *name) {
  char text[NAME_MAX_BYTES + 1];
  if (!name_text(name, text)) return false;
  for (const char *entry = lists[slot_of[link] - 1].names; *entry;) {
    size_t size = strcspn(entry, ",");
    if (matches(entry, size, text)) return true;
    entry += size + (entry[size] == ',');
  }
  return false;
}

static void send_grant(uint16_t link, const struct address *address) {
  struct sockaddr_in to4 = { .sin_family = AF_INET, .sin_port = htons(link) };
  struct sockaddr_in6 to6 = { .sin6_family = AF_INET6, .sin6_port = htons(link) };
  memcpy(&to4.sin_addr, address->bytes, sizeof to4.sin_addr);
  memcpy(&to6.sin6_addr, address->bytes, sizeof to6.sin6_addr);
  /* It fails, since the rules drop it; where there is no way to the address none is opened. */
  if (address->is6) sendto(grants6, NULL, 0, MSG_DONTWAIT, (struct sockaddr *)&to6, sizeof to6);
  else sendto(grants4, NULL, 0, MSG_DONTWAIT, (struct sockaddr *)&to4, sizeof to4);
}

void lists_grant(uint16_t link, const struct address *address, uint64_t now_ms) {
  struct list *list = &lists[slot_of[link] - 1];
  int slot = -1;
  for (int i = 0; i < MAX_GRANTED; i++) {
    uint64_t at_ms = list->granted[i].at_ms;
    if (at_ms && !memcmp(&list->granted[i].address, address, sizeof *address)) {
      if (now_ms < at_ms + AGAIN_MS) return;
      slot = i;
      break;
    }
    if (slot < 0 && (!at_ms || now_ms >= at_ms + GRANT_MS)) slot = i;
  }
  /* A job that has so many addresses at once reaches no further ones. */
  if (slot < 0) return;
  list->granted[slot].address = *address;
  list->granted[slot].at_ms = now_ms;
  send_grant(link, address);
}
