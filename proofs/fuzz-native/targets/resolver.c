/*
 * A resolver between a sandbox and an upstream that both send arbitrary bytes. The input is steps: a kind, a length, and that many
 * bytes. No answer with a private address may be returned, and none longer than requested.
 *
 * Linked with --wrap=sendto and --wrap=accept4, so that answers can be checked and streams have a link's address.
 */
#define _GNU_SOURCE
#include "resolver/refusals.c"

#include <fcntl.h>
#include <stdlib.h>

enum { STEP_QUESTION, STEP_ANSWER, STEP_COMMAND, STEP_TIME, STEP_STREAM, STEP_STREAM_BYTES, STEP_PACKET, STEPS };
enum { LINKS_USED = 3, STREAMS_USED = 4, MESSAGE_BYTES = 4096, HOUR_MS = 3600000, DATAGRAMS_MAX = 1232, FAKE = 1 << 20, OPT_BYTES = 11 };

static uint64_t now_ms = HOUR_MS;
static int upstream_peers[PORTS], agent_peer, agent_end, packets_peer, stream_peers[STREAMS_USED], stream_count;

uint64_t clock_ms(clockid_t clock) {
  (void)clock;
  return now_ms;
}

uint16_t resolver_link_of(struct in_addr address) { return (uint16_t)(1 + ntohl(address.s_addr) % LINKS_USED); }

static void check_answer(uint8_t *message, size_t size) {
  struct record record;
  if (size < HEADER) abort();
  size_t at = HEADER;
  if (dns_get16(message + 4)) at = dns_after_name(message, size, at, true) + 4;
  int count = dns_get16(message + 6);
  if (count && !dns_after_answers(message, size, at, count, &record)) abort();
}

ssize_t __real_sendto(int socket, const void *bytes, size_t size, int flags, const struct sockaddr *to, socklen_t to_size);
ssize_t __wrap_sendto(int socket, const void *bytes, size_t size, int flags, const struct sockaddr *to, socklen_t to_size);
ssize_t __wrap_sendto(int socket, const void *bytes, size_t size, int flags, const struct sockaddr *to, socklen_t to_size) {
  static uint8_t copy[MESSAGE_BYTES];
  if (socket != FAKE) return __real_sendto(socket, bytes, size, flags, to, to_size);
  if (size > DATAGRAMS_MAX) abort();
  memcpy(copy, bytes, size);
  check_answer(copy, size);
  return (ssize_t)size;
}

int __wrap_accept4(int listener, struct sockaddr *from, socklen_t *size, int flags);
int __wrap_accept4(int listener, struct sockaddr *from, socklen_t *size, int flags) {
  struct sockaddr_in client = { .sin_family = AF_INET, .sin_addr.s_addr = htonl((uint32_t)stream_count) };
  int pair[2];
  (void)listener;
  if (socketpair(AF_UNIX, SOCK_STREAM | flags, 0, pair)) abort();
  memcpy(from, &client, sizeof client);
  *size = sizeof client;
  stream_peers[stream_count++] = pair[1];
  return pair[0];
}

static void pair_of(int ends[2], int type) {
  if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends)) abort();
}

/* Both of the agent's descriptors are one socket, as for the real process. */
static void prepare(void) {
  char ranges[] = "10.0.0.0/8,127.0.0.0/8,192.168.0.0/16,169.254.0.0/16,0.0.0.0/8,::1/128,fc00::/7,fe80::/10,::ffff:0:0/96";
  int ends[2], sockets[PORTS];
  if (agent_peer) return;
  if (!dns_read_ranges(ranges)) abort();
  for (int i = 0; i < PORTS; i++) {
    pair_of(ends, SOCK_DGRAM);
    sockets[i] = ends[0];
    upstream_peers[i] = ends[1];
  }
  questions_add_upstream(sockets);
  questions_open(FAKE);
  streams_open(FAKE);
  pair_of(ends, SOCK_DGRAM);
  packets = ends[0];
  packets_peer = ends[1];
  pair_of(ends, SOCK_STREAM);
  agent_end = ends[0];
  agent_peer = ends[1];
  if (dup2(agent_end, 0) < 0 || dup2(agent_end, 1) < 0) abort();
}

static void read_replies(int socket) {
  char unused[65536];
  while (recv(socket, unused, sizeof unused, MSG_DONTWAIT) > 0) continue;
}

/* Answers a waiting question at one port: with its id and name, the rest is from the input. */
static void answer_question(const uint8_t *bytes, size_t size) {
  uint8_t message[MESSAGE_BYTES];
  for (int port = 0; port < PORTS; port++) {
    ssize_t count = recv(upstream_peers[port], message, sizeof message / 2, MSG_DONTWAIT);
    if (count < HEADER + OPT_BYTES) continue;
    size_t end = (size_t)count - OPT_BYTES;
    message[2] = 0x80;
    for (size_t i = 0; i < 2 && i < size; i++) message[2 + i] |= bytes[i];
    message[7] = size > 2 ? bytes[2] : 0;
    if (size > 3) memcpy(message + end, bytes + 3, size - 3);
    (void)!send(upstream_peers[port], message, end + (size > 3 ? size - 3 : 0), MSG_DONTWAIT);
    questions_read_answers(0, port);
    return;
  }
}

static void send_command(const uint8_t *bytes, size_t size) {
  (void)!send(agent_peer, bytes, size, MSG_DONTWAIT);
  (void)!send(agent_peer, "\n", 1, MSG_DONTWAIT);
  control_read();
  read_replies(agent_peer);
}

static void serve_streams(void) {
  struct pollfd waits[MAX_STREAMS];
  streams_watch(waits);
  poll(waits, MAX_STREAMS, 0);
  streams_serve(waits, now_ms);
}

static void step(int kind, const uint8_t *bytes, size_t size) {
  struct origin origin = { .stream = -1 };
  switch (kind) {
  case STEP_QUESTION:
    if (!size) return;
    origin.client.sin_addr.s_addr = htonl(bytes[0]);
    questions_receive(bytes + 1, size - 1, &origin);
    return;
  case STEP_ANSWER: answer_question(bytes, size); return;
  case STEP_COMMAND: send_command(bytes, size); return;
  case STEP_TIME:
    now_ms += size ? bytes[0] * 100u : 1;
    questions_expire(now_ms);
    streams_expire(now_ms);
    return;
  case STEP_STREAM:
    if (stream_count < STREAMS_USED) streams_accept(now_ms);
    return;
  case STEP_STREAM_BYTES:
    if (!stream_count) return;
    (void)!send(stream_peers[size % (size_t)stream_count], bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    serve_streams();
    return;
  case STEP_PACKET:
    (void)!send(packets_peer, bytes, size, MSG_DONTWAIT);
    refusals_read();
    return;
  }
}

static void forget_everything(void) {
  for (uint16_t link = 1; link <= LINKS_USED; link++) {
    char drop[16], take[16];
    /* The first link is dropped without a report. */
    if (link > 1) send_command((uint8_t *)take, (size_t)snprintf(take, sizeof take, "take %u", link));
    send_command((uint8_t *)drop, (size_t)snprintf(drop, sizeof drop, "drop %u", link));
    if (first_of[link] || size_of[REFUSED][link] || more_of[REFUSED][link]) abort();
  }
  now_ms += HOUR_MS;
  questions_expire(now_ms);
  streams_expire(now_ms);
  if (!questions_idle() || !streams_idle()) abort();
  for (int i = 0; i < PORTS; i++) read_replies(upstream_peers[i]);
  while (stream_count) close(stream_peers[--stream_count]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  prepare();
  for (size_t at = 0; at + 2 <= size;) {
    int kind = bytes[at] % STEPS;
    size_t length = bytes[at + 1];
    at += 2;
    if (length > size - at) length = size - at;
    /* An exact copy, so that the sanitizer finds reads beyond it. */
    uint8_t *copy = malloc(length ? length : 1);
    if (!copy) abort();
    memcpy(copy, bytes + at, length);
    step(kind, copy, length);
    free(copy);
    at += length;
  }
  forget_everything();
  return 0;
}
