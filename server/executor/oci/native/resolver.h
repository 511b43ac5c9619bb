/* Shared by the parts of the resolver. See resolver.c for how it works. */
#ifndef SANDBOX_RESOLVER_H
#define SANDBOX_RESOLVER_H

#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NAME_MAX_BYTES = 255, LINKS = 65536 };
enum { MAX_UPSTREAMS = 3, PORTS = 8, MAX_STREAMS = 64 };
/* Of messages: the head, and what every program takes by datagram. */
enum { HEADER = 12, UDP_LEAST = 512 };

/* Why a name was not answered, as rules.ts numbers it. */
enum { NAME_NOT_LISTED = 8, NAME_LEADS_INSIDE = 9 };

struct address {
  bool is6;
  uint8_t bytes[16];
};

/* resolver.c */
uint64_t now_ms(void);
/* The number of the link that has this address; 0 for none. */
uint16_t link_of(struct in_addr address);

/* confine.c */
/* Gives up root, the file system and every system call but those of serving. */
bool confine(uid_t uid);

/* dns.c: messages of name servers */
enum { TYPE_A = 1, TYPE_OPT = 41, TYPE_AAAA = 28, TYPE_SVCB = 64, TYPE_HTTPS = 65 };

/* A record of the answer section: where its time to live is, and the address that it holds, if it does. */
struct record {
  uint8_t *ttl;
  bool has_address;
  struct address address;
};

uint16_t get16(const uint8_t *at);
void put16(uint8_t *at, uint16_t value);
/* Takes what is not public, comma-separated. */
bool dns_read_ranges(char *text);
/* The place after the name at `at`; 0 when it is cut or, with `plain`, is not written out. */
size_t dns_after_name(const uint8_t *message, size_t size, size_t at, bool plain);
/* The end of the record at `at`; 0 when it is broken. */
size_t dns_after_record(uint8_t *message, size_t size, size_t at, struct record *record);
/* The end of the answer section that begins at `at`; 0 when it is broken or, with `inside` set, leads inside. */
size_t dns_after_answers(uint8_t *message, size_t size, size_t at, int count, struct record *inside);

/* questions.c: from a sandbox to the host's resolvers and back */
/* Who asked, and how. */
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
void questions_take(const uint8_t *message, size_t size, const struct origin *origin);
void questions_read_answers(int upstream, int port);
/* Asks once more, or gives up, where no answer came in time. */
void questions_expire(uint64_t now);
bool questions_idle(void);
/* Nobody waits for what the link has asked any more. */
void questions_drop(uint16_t link);

/* shares.c: what one company's links share */
/* Links of one number have one share; 0 is a share of its own. */
void shares_join(uint16_t link, uint64_t number);
void shares_leave(uint16_t link);
/* The share's place, below LINKS. */
uint16_t shares_of(uint16_t link);
/* Counts a question; false for one too many. */
bool shares_may_ask(uint16_t link, uint64_t now);
/* That no resolver answered, for a while. */
void shares_note_failure(uint16_t share, const uint8_t *question, size_t size, uint64_t now);
bool shares_has_failed(uint16_t share, const uint8_t *question, size_t size, uint64_t now);

/* streams.c: questions that come by TCP */
void streams_open(int listener);
void streams_accept(uint64_t now);
/* A stream that has been closed, or whose place another has, takes nothing. */
void streams_send(int index, uint32_t turn, const uint8_t *bytes, size_t size);
/* Fills MAX_STREAMS places. */
void streams_watch(struct pollfd *waits);
void streams_serve(const struct pollfd *waits, uint64_t now);
void streams_expire(uint64_t now);
bool streams_idle(void);
void streams_drop(uint16_t link);

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

#endif
