/*
 * The resolver of sandboxes: takes questions on the router's address and hands them to the resolvers of the host. Both
 * sides are hostile to it, so it is a process that can do nothing else: before it reads its first byte it has opened
 * every socket it will ever have (towards sandboxes in the router's network namespace, towards its resolvers in the
 * host's), has an empty root, a user that nothing on the host belongs to, and a filter that lets it receive, send, wait
 * and accept (confine.c). Where it dies the agent starts another.
 *
 * It passes no byte on unread (questions.c, streams.c, dns.c). A question is written anew from its name and type. Of an
 * answer only the answer section goes back, and none of it when one of its addresses is not public: a name that leads
 * inside has no address. That is a courtesy, since packets to such addresses are dropped anyway (rules.ts).
 *
 * A link may be held to a list of names (lists.c): others do not exist for it, and of addresses it reaches those that an
 * answer gave it. Refusals of a link, names here and packets by the rules, are recorded (refusals.c). The agent
 * sends the lists and fetches the refusals (control.c), and says which links share one company's part of this process
 * (shares.c).
 *
 *   resolver NAMESPACE ADDRESS BASE UID RANGES UPSTREAM...
 *
 * BASE is the address of link 0; RANGES is what is not public, comma-separated.
 */
#define _GNU_SOURCE
#include "resolver/resolver.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PORT = 53, POLL_MS = 100 };
/* Holds what every link of a machine may send at once (rules.ts), and what comes back. The kernel takes it twice. */
enum { DATAGRAMS_BYTES = 16 << 20, UPSTREAM_BYTES = 1 << 20, BACKLOG = 1024 };

static struct in_addr base;
static int datagrams, listener, refusals, upstreams[MAX_UPSTREAMS][PORTS], upstream_count;

uint16_t resolver_link_of(struct in_addr address) {
  uint32_t number = ntohl(address.s_addr) - ntohl(base.s_addr);
  return number < LINKS ? (uint16_t)number : 0;
}

static _Noreturn void serve(void) {
  enum { CONTROL, REFUSALS, DATAGRAMS, LISTENER, UPSTREAMS, STREAMS = UPSTREAMS + MAX_UPSTREAMS * PORTS, ALL = STREAMS + MAX_STREAMS };
  for (;;) {
    struct pollfd waits[ALL];
    for (int i = 0; i < STREAMS; i++) waits[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
    waits[CONTROL].fd = 0;
    waits[REFUSALS].fd = refusals;
    waits[DATAGRAMS].fd = control_ready() ? datagrams : -1;
    waits[LISTENER].fd = control_ready() ? listener : -1;
    for (int i = 0; i < upstream_count * PORTS; i++) waits[UPSTREAMS + i].fd = upstreams[i / PORTS][i % PORTS];
    streams_watch(waits + STREAMS);
    if (poll(waits, ALL, questions_idle() && streams_idle() ? -1 : POLL_MS) < 0 && errno != EINTR) _exit(1);
    uint64_t now = clock_ms(CLOCK_MONOTONIC);
    questions_expire(now);
    streams_expire(now);
    /* Control first: a list applies to every question that arrives after the agent got the answer to it. */
    if (waits[CONTROL].revents) control_read();
    if (waits[REFUSALS].revents) refusals_read();
    if (waits[DATAGRAMS].revents) questions_read_datagrams();
    for (int i = 0; i < upstream_count * PORTS; i++)
      if (waits[UPSTREAMS + i].revents) questions_read_answers(i / PORTS, i % PORTS);
    streams_serve(waits + STREAMS, now);
    if (waits[LISTENER].revents) streams_accept(now);
  }
}

/* ---- before the first byte ---- */

static bool make_room(int socket, int bytes) {
  return !setsockopt(socket, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes);
}

static void open_upstream(const char *text) {
  struct sockaddr_in ip4 = { .sin_family = AF_INET, .sin_port = htons(PORT) };
  struct sockaddr_in6 ip6 = { .sin6_family = AF_INET6, .sin6_port = htons(PORT) };
  bool is6 = inet_pton(AF_INET6, text, &ip6.sin6_addr) == 1;
  if (!is6 && inet_pton(AF_INET, text, &ip4.sin_addr) != 1) return;
  for (int i = 0; i < PORTS; i++) {
    int udp = socket(is6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (udp < 0 || connect(udp, is6 ? (void *)&ip6 : (void *)&ip4, is6 ? sizeof ip6 : sizeof ip4)) return;
    if (!make_room(udp, UPSTREAM_BYTES)) return;
    upstreams[upstream_count][i] = udp;
  }
  questions_add_upstream(upstreams[upstream_count++]);
}

static bool open_downstream(const char *address) {
  struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(PORT) };
  int yes = 1;
  datagrams = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  return inet_aton(address, &at.sin_addr) && !setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) &&
         !bind(datagrams, (struct sockaddr *)&at, sizeof at) && !bind(listener, (struct sockaddr *)&at, sizeof at) &&
         make_room(datagrams, DATAGRAMS_BYTES) && !listen(listener, BACKLOG);
}

int main(int count, char **arguments) {
  if (count < 7 || !inet_aton(arguments[3], &base)) return 2;
  if (!dns_read_ranges(arguments[5])) return 2;
  for (int i = 6; i < count && upstream_count < MAX_UPSTREAMS; i++) open_upstream(arguments[i]);
  int router = open(arguments[1], O_RDONLY | O_CLOEXEC);
  if (!upstream_count || router < 0 || setns(router, CLONE_NEWNET) || !open_downstream(arguments[2])) return 2;
  close(router);
  questions_open(datagrams);
  streams_open(listener);
  refusals = refusals_open();
  if (refusals < 0 || !lists_open()) return 2;
  if (!confine_resolver(atoi(arguments[4]))) return 3;
  serve();
}
