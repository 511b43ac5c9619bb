/*
 * Questions that come by TCP. Each message has its length before it; a stream that is silent for IDLE_MS is closed. A link
 * that opens more than its own loses the one that was silent for longest; when every slot is taken, the share (shares.c)
 * with the most of them does.
 */
#define _GNU_SOURCE
#include "resolver/resolver.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_STREAMS_OF_ONE = 4, IDLE_MS = 10000 };

static int listener;
static struct stream {
  int socket;
  uint32_t turn;
  uint16_t link, share;
  struct in_addr client;
  uint64_t deadline;
  size_t have;
  uint8_t bytes[2 + UDP_LEAST];
} streams[MAX_STREAMS];

void streams_open(int socket) {
  listener = socket;
  for (int i = 0; i < MAX_STREAMS; i++) streams[i].socket = -1;
}

static void close_stream(struct stream *stream) {
  close(stream->socket);
  stream->socket = -1;
  stream->turn++;
}

void streams_send(int index, uint32_t turn, const uint8_t *bytes, size_t size) {
  struct stream *stream = &streams[index];
  if (stream->socket < 0 || stream->turn != turn) return;
  if (send(stream->socket, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)size) close_stream(stream);
}

static int streams_of(uint16_t share) {
  int count = 0;
  for (int i = 0; i < MAX_STREAMS; i++) count += streams[i].socket >= 0 && streams[i].share == share;
  return count;
}

/* The stream that gives its slot to one more of the link: of the greediest share, or of the link alone. */
static struct stream *find_loser(uint16_t link, bool of_link) {
  struct stream *loser = NULL;
  int most = 0;
  for (int i = 0; i < MAX_STREAMS; i++) {
    struct stream *one = &streams[i];
    if (one->socket < 0 || (of_link && one->link != link)) continue;
    int count = of_link ? 0 : streams_of(one->share) + (one->share == shares_of(link));
    if (loser && (count < most || (count == most && one->deadline >= loser->deadline))) continue;
    loser = one;
    most = count;
  }
  return loser;
}

static struct stream *take_slot(uint16_t link) {
  struct stream *slot = NULL;
  int own = 0;
  for (int i = 0; i < MAX_STREAMS; i++) {
    if (streams[i].socket < 0) slot = &streams[i];
    else if (streams[i].link == link) own++;
  }
  if (slot && own < MAX_STREAMS_OF_ONE) return slot;
  slot = find_loser(link, own >= MAX_STREAMS_OF_ONE);
  close_stream(slot);
  return slot;
}

void streams_accept(uint64_t now) {
  struct sockaddr_in client;
  socklen_t length = sizeof client;
  int socket = accept4(listener, (struct sockaddr *)&client, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (socket < 0) return;
  uint16_t link = resolver_link_of(client.sin_addr);
  struct stream *slot = take_slot(link);
  *slot = (struct stream){ .socket = socket, .turn = slot->turn, .link = link, .share = shares_of(link),
                            .client = client.sin_addr, .deadline = now + IDLE_MS };
}

static void read_stream(int index, uint64_t now) {
  struct stream *stream = &streams[index];
  ssize_t count = recv(stream->socket, stream->bytes + stream->have, sizeof stream->bytes - stream->have, MSG_DONTWAIT);
  if (count < 0 && errno == EAGAIN) return;
  if (count <= 0) return close_stream(stream);
  stream->have += count;
  stream->deadline = now + IDLE_MS;
  while (stream->socket >= 0 && stream->have >= 2) {
    size_t size = dns_get16(stream->bytes);
    if (size > UDP_LEAST || size < HEADER) return close_stream(stream);
    if (stream->have < 2 + size) return;
    struct origin origin = { .stream = index, .turn = stream->turn };
    origin.client.sin_addr = stream->client;
    questions_receive(stream->bytes + 2, size, &origin);
    stream->have -= 2 + size;
    memmove(stream->bytes, stream->bytes + 2 + size, stream->have);
  }
}

void streams_watch(struct pollfd *waits) {
  for (int i = 0; i < MAX_STREAMS; i++) waits[i] = (struct pollfd){ .fd = streams[i].socket, .events = POLLIN };
}

void streams_serve(const struct pollfd *waits, uint64_t now) {
  for (int i = 0; i < MAX_STREAMS; i++)
    if (waits[i].revents && streams[i].socket == waits[i].fd) read_stream(i, now);
}

void streams_expire(uint64_t now) {
  for (int i = 0; i < MAX_STREAMS; i++)
    if (streams[i].socket >= 0 && streams[i].deadline <= now) close_stream(&streams[i]);
}

bool streams_idle(void) {
  for (int i = 0; i < MAX_STREAMS; i++) if (streams[i].socket >= 0) return false;
  return true;
}

void streams_drop(uint16_t link) {
  for (int i = 0; i < MAX_STREAMS; i++)
    if (streams[i].socket >= 0 && streams[i].link == link) close_stream(&streams[i]);
}
