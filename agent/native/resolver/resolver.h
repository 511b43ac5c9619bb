/* Shared by the parts of the resolver. See resolver.c for how it works. */
#ifndef SANDBOX_RESOLVER_H
#define SANDBOX_RESOLVER_H

#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "common/clock.h"

enum { NAME_MAX_BYTES = 255, LINKS = 65536 };
enum { MAX_UPSTREAMS = 3, PORTS = 8, MAX_STREAMS = 64 };
/* Of messages: the head, and what every program takes by datagram. */
enum { HEADER = 12, UDP_LEAST = 512 };

/* Why a name was not answered, as rules.ts numbers it. */
enum { NAME_NOT_LISTED = 8, NAME_LEADS_INSIDE = 9 };
/*
 * Destinations that a link reached, in the same place: a new connection (a mark of rules.ts), and an address of an answered
 * name.
 */
enum { CONNECTED = 11, RESOLVED = 12 };

struct address {
  bool is6;
  uint8_t bytes[16];
};

/* resolver.c */
/* The number of the link that has this address; 0 for none. */
uint16_t resolver_link_of(struct in_addr address);

/* confine.c */
/* Gives up root, the file system and every system call but those of serving. */
bool confine_resolver(uid_t uid);

/* dns.c: messages of name servers */
enum { TYPE_A = 1, TYPE_OPT = 41, TYPE_AAAA = 28, TYPE_SVCB = 64, TYPE_HTTPS = 65 };

/* A record of the answer section: where its time to live is, and the address that it holds, if it does. */
struct record {
  uint8_t *ttl;
  bool has_address;
  struct address address;
};

uint16_t dns_get16(const uint8_t *at);
void dns_put16(uint8_t *at, uint16_t value);
/* Takes what is not public, comma-separated. */
bool dns_read_ranges(char *text);
/* The slot after the name at `at`; 0 when it is cut or, with `plain`, is not written out. */
size_t dns_after_name(const uint8_t *message, size_t size, size_t at, bool plain);
/* The end of the record at `at`; 0 when it is broken. */
size_t dns_after_record(uint8_t *message, size_t size, size_t at, struct record *record);
/* The end of the answer section that begins at `at`; 0 when it is broken or, with `inside` set, leads inside. */
size_t dns_after_answers(uint8_t *message, size_t size, size_t at, int count, struct record *inside);

/* questions.c: from a sandbox to the host's resolvers and back */
/* Where a question came from. */
struct origin {
  struct sockaddr_in client;
  /* The stream that the question came by, and its turn; -1 for a datagram. */
  int stream;
  uint32_t turn;
};

/* Towards sandboxes. */
void questions_open(int datagrams);
/* One of the host's resolvers, by several ports. */
void questions_add_upstream(const int sockets[PORTS]);
void questions_read_datagrams(void);
void questions_receive(const uint8_t *message, size_t size, const struct origin *origin);
void questions_read_answers(int upstream, int port);
/* Asks once more, or gives up, where no answer came in time. */
void questions_expire(uint64_t now);
bool questions_idle(void);
/* Forgets the questions of the link. */
void questions_drop(uint16_t link);

/* shares.c: what one company's links share */
/* Links of one number have one share; 0 is a share of its own. */
void shares_join(uint16_t link, uint64_t number);
void shares_leave(uint16_t link);
/* The share's slot, below LINKS. */
uint16_t shares_of(uint16_t link);
/* Counts a question; false when the link or its share asks too often. */
bool shares_take_token(uint16_t link, uint64_t now);
/* Remembers for a while that no resolver answered. */
void shares_record_failure(uint16_t share, const uint8_t *question, size_t size, uint64_t now);
bool shares_has_failed(uint16_t share, const uint8_t *question, size_t size, uint64_t now);

/* streams.c: questions that come by TCP */
void streams_open(int listener);
void streams_accept(uint64_t now);
/* A stream that has been closed, or whose slot another has, takes nothing. */
void streams_send(int index, uint32_t turn, const uint8_t *bytes, size_t size);
/* Fills MAX_STREAMS slots. */
void streams_watch(struct pollfd *waits);
void streams_serve(const struct pollfd *waits, uint64_t now);
void streams_expire(uint64_t now);
bool streams_idle(void);
void streams_drop(uint16_t link);

/* control.c: commands of the agent, line by line on descriptor 0, and their answers on descriptor 1 */
/* True once the agent has sent every list: no question is answered before. */
bool control_ready(void);
void control_read(void);
void control_send(const char *line, size_t size);

/* lists.c: the names that a link is held to */
bool lists_open(void);
/* Takes the slot of a list that the link had. False when there is no room. */
bool lists_set(uint16_t link, const char *names);
void lists_drop(uint16_t link);
bool lists_has(uint16_t link);
/* `name` as in a message, written out. */
bool lists_allows(uint16_t link, const uint8_t *name);
/* Lets the link reach an address, for GRANT_S (rules.ts) from now. */
void lists_grant(uint16_t link, const struct address *address, uint64_t now_ms);

/* refusals.c: what was refused, and what was reached, by link */
/* A socket that delivers refused packets. */
int refusals_open(void);
void refusals_read(void);
/* `name` as in a message, written out. */
void refusals_add_name(uint16_t link, int reason, const uint8_t *name, const struct address *address);
/* Records what the link reaches, too. */
void refusals_record(uint16_t link);
/* An address that a name led to, of a link whose reach is recorded. */
void refusals_add_answer(uint16_t link, const uint8_t *name, const struct address *address);
/* Sends all records of a link to the agent and forgets them. */
void refusals_report(uint16_t link);
/* Forgets them without a report, and records no longer what the link reaches. */
void refusals_drop(uint16_t link);

#endif
