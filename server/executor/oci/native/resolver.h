/* Shared by the parts of the resolver. See resolver.c for how it works. */
#ifndef SANDBOX_RESOLVER_H
#define SANDBOX_RESOLVER_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NAME_MAX_BYTES = 255, LINKS = 65536 };

/* Why a name was not answered, as rules.ts numbers it. */
enum { NAME_NOT_LISTED = 8, NAME_LEADS_INSIDE = 9 };

struct address {
  bool is6;
  uint8_t bytes[16];
};

/* control.c: what the agent says, line by line on descriptor 0, and hears on descriptor 1 */
/* True once the agent has told of every list: before, nobody is answered. */
bool control_ready(void);
void control_read(void);
void control_say(const char *line, size_t size);

/* lists.c: the names that a link is held to */
bool lists_open(void);
/* Takes the place of a list that the link had. False when there is no room. */
bool lists_set(uint16_t link, const char *names);
void lists_drop(uint16_t link);
bool lists_has(uint16_t link);
/* `name` as in a message, written out. */
bool lists_allows(uint16_t link, const uint8_t *name);
/* Lets the link reach an address, for GRANT_S (rules.ts) from now. */
void lists_grant(uint16_t link, const struct address *address, uint64_t now_ms);

/* notes.c: what was refused, by link */
/* A socket that tells of refused packets. */
int notes_open(void);
void notes_read(void);
/* `name` as in a message, written out. */
void notes_of_name(uint16_t link, int reason, const uint8_t *name, const struct address *address);
/* Says all of a link's notes to the agent and forgets them. */
void notes_tell(uint16_t link);

/* The number of the link that has this address; 0 for none. */
uint16_t link_of(struct in_addr address);

#endif
