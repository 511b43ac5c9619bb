/*
 * Questions, from a sandbox to the host's resolvers and back. A question without an answer is sent TRIES times and keeps
 * its slot until then. A link with too many questions loses its oldest one. When no slot is free, the share (shares.c) with
 * the most questions loses the oldest question of its busiest link: a link with few questions always gets a slot.
 */
#define _GNU_SOURCE
#include "resolver/resolver.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum { QUESTION_MAX = NAME_MAX_BYTES + 4, MESSAGE_MAX = 4096, UDP_MOST = 1232 };
enum { MAX_PENDING = 1024, MAX_PENDING_OF_ONE = 64, BATCH = 64, TRY_MS = 1500, TRIES = 4 };
enum { META_FIRST = 128, META_LAST = 255, CLASS_IN = 1 };
enum { OK = 0, FORMAT_ERROR = 1, SERVER_FAILURE = 2, NO_SUCH_NAME = 3, NOT_DONE = 4 };
/* A program that keeps an answer asks again before what the answer let it reach is closed (GRANT_S in rules.ts). */
enum { LISTED_TTL_MAX = 300 };

static int datagrams, upstreams[MAX_UPSTREAMS][PORTS], upstream_count;

/* A question that waits for an answer. */
static struct pending {
  bool used;
  uint16_t id, client_id;
  int upstream, port, tries, limit;
  uint16_t link, share;
  struct origin from;
  uint64_t number, deadline;
  size_t size;
  uint8_t question[QUESTION_MAX];
} pending[MAX_PENDING];

static int pending_count;
static uint16_t pending_of_link[LINKS], pending_of_share[LINKS];
/* No question is due before. */
static uint64_t next_deadline;

void questions_open(int socket) { datagrams = socket; }

void questions_add_upstream(const int sockets[PORTS]) {
  memcpy(upstreams[upstream_count++], sockets, sizeof *upstreams);
}

static uint16_t random16(void) {
  uint16_t value;
  if (getrandom(&value, sizeof value, 0) != sizeof value) _exit(1);
  return value;
}

/* `answers` lie after the question, as they came; none where the answer would be too long. */
static void answer(const struct pending *to, int code, int count, const uint8_t *answers, size_t size) {
  uint8_t message[2 + MESSAGE_MAX], *head = message + 2;
  bool cut = HEADER + to->size + size > (size_t)to->limit;
  if (cut) count = 0, size = 0;
  memset(head, 0, HEADER);
  dns_put16(head, to->client_id);
  dns_put16(head + 2, (uint16_t)(0x8180 | (cut ? 0x0200 : 0) | code));
  dns_put16(head + 4, to->size ? 1 : 0);
  dns_put16(head + 6, (uint16_t)count);
  memcpy(head + HEADER, to->question, to->size);
  memcpy(head + HEADER + to->size, answers, size);
  size_t all = HEADER + to->size + size;
  if (to->from.stream < 0) {
    sendto(datagrams, head, all, MSG_DONTWAIT | MSG_NOSIGNAL, (const struct sockaddr *)&to->from.client, sizeof to->from.client);
    return;
  }
  dns_put16(message, (uint16_t)all);
  streams_send(to->from.stream, to->from.turn, message, all + 2);
}

static void answer_empty(const struct pending *to, int code) { answer(to, code, 0, to->question, 0); }

static void release(struct pending *question) {
  question->used = false;
  pending_count--;
  pending_of_link[question->link]--;
  pending_of_share[question->share]--;
}

/* Whether `a` is to go rather than `b`. */
static bool is_greedier(const struct pending *a, const struct pending *b) {
  int by_share = pending_of_share[a->share] - pending_of_share[b->share];
  int by_link = pending_of_link[a->link] - pending_of_link[b->link];
  if (by_share) return by_share > 0;
  return by_link ? by_link > 0 : a->number < b->number;
}

/* The question that makes room for one more of `link`, which is counted already; NULL where there is room. */
static struct pending *find_loser(uint16_t link) {
  struct pending *loser = NULL;
  bool of_link = pending_of_link[link] > MAX_PENDING_OF_ONE;
  if (!of_link && pending_count < MAX_PENDING) return NULL;
  for (int i = 0; i < MAX_PENDING; i++) {
    struct pending *one = &pending[i];
    if (one->used && (!of_link || one->link == link) && (!loser || is_greedier(one, loser))) loser = one;
  }
  return loser;
}

/* A slot that is counted as the link's. */
static struct pending *take_slot(uint16_t link, uint16_t share) {
  pending_of_link[link]++;
  pending_of_share[share]++;
  struct pending *slot = find_loser(link);
  if (slot) {
    answer_empty(slot, SERVER_FAILURE);
    release(slot);
  }
  for (int i = 0; !slot; i++)
    if (!pending[i].used) slot = &pending[i];
  pending_count++;
  return slot;
}

/* A program that repeats a question it waits for takes no second slot. */
static bool is_pending(const struct pending *question) {
  if (question->from.stream >= 0 || !pending_of_link[question->link]) return false;
  for (int i = 0; i < MAX_PENDING; i++) {
    const struct pending *one = &pending[i];
    if (one->used && one->link == question->link && one->client_id == question->client_id && one->from.stream < 0 &&
        one->from.client.sin_port == question->from.client.sin_port && one->size == question->size &&
        !memcmp(one->question, question->question, question->size))
      return true;
  }
  return false;
}

static void ask_upstream(struct pending *question, uint64_t now) {
  static const uint8_t extension[11] = { 0, 0, TYPE_OPT, MESSAGE_MAX >> 8, MESSAGE_MAX & 0xff };
  uint8_t message[HEADER + QUESTION_MAX + sizeof extension] = { 0 };
  question->id = random16();
  question->upstream = question->tries++ % upstream_count;
  question->port = random16() % PORTS;
  question->deadline = now + TRY_MS;
  if (question->deadline < next_deadline) next_deadline = question->deadline;
  dns_put16(message, question->id);
  dns_put16(message + 2, 0x0100);
  dns_put16(message + 4, 1);
  dns_put16(message + 10, 1);
  memcpy(message + HEADER, question->question, question->size);
  memcpy(message + HEADER + question->size, extension, sizeof extension);
  send(upstreams[question->upstream][question->port], message, HEADER + question->size + sizeof extension,
       MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* Fills `to` with what the question asks; answers a code, or -1 for what is to be request. */
static int read_question(const uint8_t *message, size_t size, struct pending *to) {
  to->client_id = dns_get16(message);
  to->size = 0;
  if ((dns_get16(message + 2) & 0x7800) != 0) return NOT_DONE;
  if (dns_get16(message + 4) != 1 || dns_get16(message + 6) || dns_get16(message + 8) || dns_get16(message + 10) > 1) return FORMAT_ERROR;
  size_t end = dns_after_name(message, size, HEADER, true);
  if (!end || end + 4 > size) return FORMAT_ERROR;
  uint16_t type = dns_get16(message + end), class = dns_get16(message + end + 2);
  to->size = end + 4 - HEADER;
  memcpy(to->question, message + HEADER, to->size);
  const uint8_t *extra = message + end + 4;
  if (to->from.stream < 0 && dns_get16(message + 10) && end + 4 + 11 <= size && extra[0] == 0 && dns_get16(extra + 1) == TYPE_OPT) {
    int wanted = dns_get16(extra + 3);
    to->limit = wanted < UDP_LEAST ? UDP_LEAST : wanted > UDP_MOST ? UDP_MOST : wanted;
  }
  if (class != CLASS_IN || type == TYPE_OPT || (type >= META_FIRST && type <= META_LAST)) return NOT_DONE;
  /* These carry addresses in a form of their own: programs ask for A and AAAA then. */
  return type == TYPE_SVCB || type == TYPE_HTTPS ? OK : -1;
}

void questions_receive(const uint8_t *message, size_t size, const struct origin *origin) {
  static uint64_t number;
  uint64_t now = clock_ms(CLOCK_MONOTONIC);
  struct pending request = { .from = *origin, .limit = origin->stream < 0 ? UDP_LEAST : MESSAGE_MAX };
  request.link = resolver_link_of(origin->client.sin_addr);
  request.share = shares_of(request.link);
  if (size < HEADER || (message[2] & 0x80) || !shares_take_token(request.link, now)) return;
  int code = read_question(message, size, &request);
  if (code >= 0) return answer_empty(&request, code);
  if (lists_has(request.link) && !lists_allows(request.link, request.question)) {
    refusals_add_name(request.link, NAME_NOT_LISTED, request.question, NULL);
    return answer_empty(&request, NO_SUCH_NAME);
  }
  if (is_pending(&request)) return;
  if (shares_has_failed(request.share, request.question, request.size, now)) return answer_empty(&request, SERVER_FAILURE);
  struct pending *slot = take_slot(request.link, request.share);
  request.used = true;
  request.number = number++;
  *slot = request;
  ask_upstream(slot, now);
}

/* Some at once, since each turn waits for a hundred sockets; no more, since the others have their turn too. */
void questions_read_datagrams(void) {
  uint8_t message[UDP_LEAST];
  for (int i = 0; i < BATCH; i++) {
    struct origin from = { .stream = -1 };
    socklen_t length = sizeof from.client;
    ssize_t size = recvfrom(datagrams, message, sizeof message, MSG_DONTWAIT, (struct sockaddr *)&from.client, &length);
    if (size < 0) return;
    if (length == sizeof from.client) questions_receive(message, size, &from);
  }
}

/* ---- towards the host's resolvers ---- */

/* Records the addresses of an answer that was found good, and opens the way to them for a link with a list. */
static void take_answers(const struct pending *question, uint8_t *message, size_t end, size_t at, uint64_t now) {
  struct record record;
  bool has_list = lists_has(question->link);
  while (at < end && (at = dns_after_record(message, end, at, &record))) {
    if (record.has_address) refusals_add_answer(question->link, question->question, &record.address);
    if (!has_list) continue;
    if (record.has_address) lists_grant(question->link, &record.address, now);
    uint32_t ttl;
    memcpy(&ttl, record.ttl, sizeof ttl);
    if (ntohl(ttl) > LISTED_TTL_MAX) ttl = htonl(LISTED_TTL_MAX);
    memcpy(record.ttl, &ttl, sizeof ttl);
  }
}

static bool same_question(const struct pending *question, const uint8_t *message, size_t size) {
  if (size < HEADER + question->size || dns_get16(message + 4) != 1) return false;
  /* Letters may come back in another case; lengths are below 64 and are no letters. */
  for (size_t i = 0; i < question->size; i++) {
    uint8_t a = question->question[i], b = message[HEADER + i];
    if (a != b && !(i < question->size - 4 && (a | 0x20) == (b | 0x20) && (a | 0x20) >= 'a' && (a | 0x20) <= 'z')) return false;
  }
  return true;
}

/* Passes an answer back, or an empty one in its place. */
static void pass_on(const struct pending *question, uint8_t *message, size_t size) {
  struct record last = { 0 };
  int code = message[3] & 0x0f, count = dns_get16(message + 6);
  size_t start = HEADER + question->size;
  uint16_t link = question->link;
  if (code != OK && code != NO_SUCH_NAME) return answer_empty(question, SERVER_FAILURE);
  /* Too long even for us: a sandbox that asked by datagram tries again by stream, and gets the same answer there. */
  if (message[2] & 0x02) return answer_empty(question, SERVER_FAILURE);
  size_t end = dns_after_answers(message, size, start, count, &last);
  if (!end && last.has_address) refusals_add_name(link, NAME_LEADS_INSIDE, question->question, &last.address);
  if (!end) return answer_empty(question, OK);
  take_answers(question, message, end, start, clock_ms(CLOCK_MONOTONIC));
  answer(question, code, count, message + start, end - start);
}

static void read_answer(uint8_t *message, size_t size, int upstream, int port) {
  if (size < HEADER || !(message[2] & 0x80)) return;
  for (int i = 0; i < MAX_PENDING; i++) {
    struct pending *one = &pending[i];
    bool fits = one->used && one->id == dns_get16(message) && one->upstream == upstream && one->port == port;
    if (!fits || !same_question(one, message, size)) continue;
    pass_on(one, message, size);
    return release(one);
  }
}

void questions_read_answers(int upstream, int port) {
  static uint8_t message[MESSAGE_MAX];
  for (int i = 0; i < BATCH; i++) {
    ssize_t size = recv(upstreams[upstream][port], message, sizeof message, MSG_DONTWAIT);
    if (size < 0) return;
    read_answer(message, size, upstream, port);
  }
}

void questions_expire(uint64_t now) {
  if (now < next_deadline) return;
  next_deadline = UINT64_MAX;
  for (int i = 0; i < MAX_PENDING; i++) {
    struct pending *one = &pending[i];
    if (!one->used) continue;
    if (one->deadline > now) {
      if (one->deadline < next_deadline) next_deadline = one->deadline;
    } else if (one->tries < TRIES) {
      ask_upstream(one, now);
    } else {
      shares_record_failure(one->share, one->question, one->size, now);
      answer_empty(one, SERVER_FAILURE);
      release(one);
    }
  }
}

bool questions_idle(void) { return !pending_count; }

void questions_drop(uint16_t link) {
  for (int i = 0; i < MAX_PENDING && pending_of_link[link]; i++)
    if (pending[i].used && pending[i].link == link) release(&pending[i]);
}
