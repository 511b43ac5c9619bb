/*
 * The resolver of sandboxes: takes questions on the router's address and hands them to the resolvers of the host. Both
 * sides are hostile to it, so it is a process that can do nothing else: before it reads its first byte it has opened
 * every socket it will ever have (towards sandboxes in the router's network namespace, towards its resolvers in the
 * host's), has an empty root, a user that nothing on the host belongs to, and a filter that lets it receive, send, wait
 * and accept. Where it dies the agent starts another.
 *
 * It passes no byte on unread. A question is written anew from its name and type. Of an answer only the answer section
 * goes back, and none of it when one of its addresses is not public: a name that leads inside has no address. That is
 * a courtesy, since packets to such addresses are dropped anyway (rules.ts).
 *
 * A link may be held to a list of names (lists.c): others do not exist for it, and of addresses it reaches those that an
 * answer gave it. What was refused to a link, names here and packets by the rules, is noted (notes.c). The agent gives
 * lists and takes notes (control.c).
 *
 *   resolver NAMESPACE ADDRESS BASE UID RANGES UPSTREAM...
 *
 * BASE is the address of link 0; RANGES is what is not public, comma-separated.
 */
#define _GNU_SOURCE
#include "resolver.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PORT = 53, HEADER = 12, QUESTION_MAX = NAME_MAX_BYTES + 4, MESSAGE_MAX = 4096, UDP_MOST = 1232,
       UDP_LEAST = 512 };
enum { MAX_RANGES = 64, MAX_UPSTREAMS = 3, PORTS = 8, MAX_PENDING = 512, MAX_PENDING_OF_ONE = 64, MAX_STREAMS = 64,
       MAX_STREAMS_OF_ONE = 4, BUCKETS = 4096, RATE = 500, TRY_MS = 1500, TRIES = 4, IDLE_MS = 10000 };
enum { A = 1, OPT = 41, AAAA = 28, SVCB = 64, HTTPS = 65, META_FIRST = 128, META_LAST = 255, CLASS_IN = 1 };
enum { OK = 0, FORMAT_ERROR = 1, SERVER_FAILURE = 2, NO_SUCH_NAME = 3, NOT_DONE = 4 };
/* A program that keeps an answer asks again before what the answer let it reach is closed (GRANT_S in rules.ts). */
enum { LISTED_TTL_MAX = 300 };

static struct { bool is6; uint8_t net[16]; int bits; } ranges[MAX_RANGES];
static int range_count;

static struct in_addr base;
static int datagrams, listener, refusals, upstreams[MAX_UPSTREAMS][PORTS], upstream_count;

/* A question that waits for an answer. `stream` is -1 for one that came by datagram. */
static struct pending {
  bool used;
  uint16_t id, client_id;
  int upstream, port, tries, stream, limit;
  uint32_t stream_turn;
  struct sockaddr_in client;
  uint64_t deadline;
  size_t size;
  uint8_t question[QUESTION_MAX];
} pending[MAX_PENDING];

static struct stream {
  int socket;
  uint32_t turn;
  struct in_addr client;
  uint64_t deadline;
  size_t have;
  uint8_t bytes[2 + UDP_LEAST];
} streams[MAX_STREAMS];

/* Questions that each address may still ask now. */
static struct { double left; uint64_t at; } buckets[BUCKETS];

static uint64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000ull + now.tv_nsec / 1000000;
}

static uint16_t random16(void) {
  uint16_t value;
  if (getrandom(&value, sizeof value, 0) != sizeof value) _exit(1);
  return value;
}

static uint16_t get16(const uint8_t *at) { return at[0] << 8 | at[1]; }

static void put16(uint8_t *at, uint16_t value) {
  at[0] = value >> 8;
  at[1] = value & 0xff;
}

uint16_t link_of(struct in_addr address) {
  uint32_t number = ntohl(address.s_addr) - ntohl(base.s_addr);
  return number < LINKS ? number : 0;
}

/* ---- messages ---- */

/* The place after the name at `at`; 0 when it is cut or, with `plain`, is not written out. */
static size_t after_name(const uint8_t *message, size_t size, size_t at, bool plain) {
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

/* A record of the answer section: where its time to live is, and the address that it holds, if it does. */
struct record {
  uint8_t *ttl;
  bool has_address;
  struct address address;
};

/* The end of the record at `at`; 0 when it is broken. */
static size_t after_record(uint8_t *message, size_t size, size_t at, struct record *record) {
  *record = (struct record){ 0 };
  at = after_name(message, size, at, false);
  if (!at || at + 10 > size) return 0;
  uint16_t type = get16(message + at), length = get16(message + at + 8);
  record->ttl = message + at + 4;
  at += 10;
  if (at + length > size || (type == A && length != 4) || (type == AAAA && length != 16)) return 0;
  record->has_address = type == A || type == AAAA;
  record->address.is6 = type == AAAA;
  if (record->has_address) memcpy(record->address.bytes, message + at, length);
  return at + length;
}

/* The end of the answer section that begins at `at`; 0 when it is broken or, with `inside` set, leads inside. */
static size_t after_answers(uint8_t *message, size_t size, size_t at, int count, struct record *inside) {
  while (count-- > 0) {
    at = after_record(message, size, at, inside);
    if (!at || (inside->has_address && !is_public(&inside->address))) return 0;
  }
  return at;
}

/* Opens the way to the addresses of an answer that was found good, for a link with a list. */
static void grant_answers(uint16_t link, uint8_t *message, size_t end, size_t at, uint64_t now) {
  struct record record;
  while (at < end && (at = after_record(message, end, at, &record))) {
    if (record.has_address) lists_grant(link, &record.address, now);
    uint32_t ttl;
    memcpy(&ttl, record.ttl, sizeof ttl);
    if (ntohl(ttl) > LISTED_TTL_MAX) ttl = htonl(LISTED_TTL_MAX);
    memcpy(record.ttl, &ttl, sizeof ttl);
  }
}

/* ---- towards sandboxes ---- */

static void close_stream(struct stream *stream) {
  close(stream->socket);
  stream->socket = -1;
  stream->turn++;
}

/* `answers` lie after the question, as they came; none where the answer would be too long. */
static void answer(const struct pending *to, int code, int count, const uint8_t *answers, size_t size) {
  uint8_t message[2 + MESSAGE_MAX], *head = message + 2;
  bool cut = HEADER + to->size + size > (size_t)to->limit;
  if (cut) count = size = 0;
  memset(head, 0, HEADER);
  put16(head, to->client_id);
  put16(head + 2, 0x8180 | (cut ? 0x0200 : 0) | code);
  put16(head + 4, to->size ? 1 : 0);
  put16(head + 6, count);
  memcpy(head + HEADER, to->question, to->size);
  memcpy(head + HEADER + to->size, answers, size);
  size_t all = HEADER + to->size + size;
  if (to->stream < 0) {
    sendto(datagrams, head, all, MSG_DONTWAIT | MSG_NOSIGNAL, (const struct sockaddr *)&to->client, sizeof to->client);
    return;
  }
  struct stream *stream = &streams[to->stream];
  if (stream->socket < 0 || stream->turn != to->stream_turn) return;
  put16(message, all);
  if (send(stream->socket, message, all + 2, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)all + 2) close_stream(stream);
}

static void answer_empty(const struct pending *to, int code) { answer(to, code, 0, to->question, 0); }

static bool may_ask(struct in_addr client, uint64_t now) {
  uint32_t at = ntohl(client.s_addr) % BUCKETS;
  double grown = buckets[at].left + (now - buckets[at].at) * (RATE / 1000.0);
  buckets[at].left = grown > RATE || !buckets[at].at ? RATE : grown;
  buckets[at].at = now;
  if (buckets[at].left < 1) return false;
  buckets[at].left -= 1;
  return true;
}

static struct pending *free_place(struct in_addr client) {
  struct pending *found = NULL;
  int own = 0;
  for (int i = 0; i < MAX_PENDING; i++) {
    if (!pending[i].used) found = &pending[i];
    else if (pending[i].client.sin_addr.s_addr == client.s_addr) own++;
  }
  return own < MAX_PENDING_OF_ONE ? found : NULL;
}

static void ask_upstream(struct pending *question, uint64_t now) {
  static const uint8_t extension[11] = { 0, 0, OPT, MESSAGE_MAX >> 8, MESSAGE_MAX & 0xff };
  uint8_t message[HEADER + QUESTION_MAX + sizeof extension] = { 0 };
  question->id = random16();
  question->upstream = question->tries++ % upstream_count;
  question->port = random16() % PORTS;
  question->deadline = now + TRY_MS;
  put16(message, question->id);
  put16(message + 2, 0x0100);
  put16(message + 4, 1);
  put16(message + 10, 1);
  memcpy(message + HEADER, question->question, question->size);
  memcpy(message + HEADER + question->size, extension, sizeof extension);
  send(upstreams[question->upstream][question->port], message, HEADER + question->size + sizeof extension,
       MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* Fills `to` with what the question asks; answers a code, or -1 for what is to be asked. */
static int read_question(const uint8_t *message, size_t size, struct pending *to) {
  to->client_id = get16(message);
  to->size = 0;
  if ((get16(message + 2) & 0x7800) != 0) return NOT_DONE;
  if (get16(message + 4) != 1 || get16(message + 6) || get16(message + 8) || get16(message + 10) > 1) return FORMAT_ERROR;
  size_t end = after_name(message, size, HEADER, true);
  if (!end || end + 4 > size) return FORMAT_ERROR;
  uint16_t type = get16(message + end), class = get16(message + end + 2);
  to->size = end + 4 - HEADER;
  memcpy(to->question, message + HEADER, to->size);
  const uint8_t *extra = message + end + 4;
  if (to->stream < 0 && get16(message + 10) && end + 4 + 11 <= size && extra[0] == 0 && get16(extra + 1) == OPT) {
    int wanted = get16(extra + 3);
    to->limit = wanted < UDP_LEAST ? UDP_LEAST : wanted > UDP_MOST ? UDP_MOST : wanted;
  }
  if (class != CLASS_IN || type == OPT || (type >= META_FIRST && type <= META_LAST)) return NOT_DONE;
  /* These carry addresses in a form of their own: programs ask for A and AAAA then. */
  return type == SVCB || type == HTTPS ? OK : -1;
}

static void take_question(const uint8_t *message, size_t size, struct pending from) {
  uint64_t now = now_ms();
  if (size < HEADER || (message[2] & 0x80) || !may_ask(from.client.sin_addr, now)) return;
  int code = read_question(message, size, &from);
  if (code >= 0) return answer_empty(&from, code);
  uint16_t link = link_of(from.client.sin_addr);
  if (lists_has(link) && !lists_allows(link, from.question)) {
    notes_of_name(link, NAME_NOT_LISTED, from.question, NULL);
    return answer_empty(&from, NO_SUCH_NAME);
  }
  struct pending *place = free_place(from.client.sin_addr);
  if (!place) return answer_empty(&from, SERVER_FAILURE);
  *place = from;
  place->used = true;
  ask_upstream(place, now);
}

static void read_datagram(void) {
  uint8_t message[UDP_LEAST];
  struct pending from = { .stream = -1, .limit = UDP_LEAST };
  socklen_t length = sizeof from.client;
  ssize_t size = recvfrom(datagrams, message, sizeof message, MSG_DONTWAIT, (struct sockaddr *)&from.client, &length);
  if (size > 0 && length == sizeof from.client) take_question(message, size, from);
}

static void accept_stream(uint64_t now) {
  struct sockaddr_in client;
  socklen_t length = sizeof client;
  int socket = accept4(listener, (struct sockaddr *)&client, &length, SOCK_NONBLOCK | SOCK_CLOEXEC), own = 0;
  if (socket < 0) return;
  struct stream *place = NULL;
  for (int i = 0; i < MAX_STREAMS; i++) {
    if (streams[i].socket < 0) place = &streams[i];
    else if (streams[i].client.s_addr == client.sin_addr.s_addr) own++;
  }
  if (!place || own >= MAX_STREAMS_OF_ONE) {
    close(socket);
    return;
  }
  *place = (struct stream){ .socket = socket, .turn = place->turn, .client = client.sin_addr, .deadline = now + IDLE_MS };
}

static void read_stream(int index, uint64_t now) {
  struct stream *stream = &streams[index];
  ssize_t count = recv(stream->socket, stream->bytes + stream->have, sizeof stream->bytes - stream->have, MSG_DONTWAIT);
  if (count < 0 && errno == EAGAIN) return;
  if (count <= 0) return close_stream(stream);
  stream->have += count;
  stream->deadline = now + IDLE_MS;
  while (stream->socket >= 0 && stream->have >= 2) {
    size_t size = get16(stream->bytes);
    if (size > UDP_LEAST || size < HEADER) return close_stream(stream);
    if (stream->have < 2 + size) return;
    struct pending from = { .stream = index, .stream_turn = stream->turn, .limit = MESSAGE_MAX };
    from.client.sin_addr = stream->client;
    take_question(stream->bytes + 2, size, from);
    stream->have -= 2 + size;
    memmove(stream->bytes, stream->bytes + 2 + size, stream->have);
  }
}

/* ---- towards the host's resolvers ---- */

static bool same_question(const struct pending *asked, const uint8_t *message, size_t size) {
  if (size < HEADER + asked->size || get16(message + 4) != 1) return false;
  /* Letters may come back in another case; lengths are below 64 and are no letters. */
  for (size_t i = 0; i < asked->size; i++) {
    uint8_t a = asked->question[i], b = message[HEADER + i];
    if (a != b && !(i < asked->size - 4 && (a | 0x20) == (b | 0x20) && (a | 0x20) >= 'a' && (a | 0x20) <= 'z')) return false;
  }
  return true;
}

/* Gives an answer back, or what stands for it. */
static void pass_on(const struct pending *asked, uint8_t *message, size_t size) {
  struct record last = { 0 };
  int code = message[3] & 0x0f, count = get16(message + 6);
  size_t start = HEADER + asked->size;
  uint16_t link = link_of(asked->client.sin_addr);
  if (code != OK && code != NO_SUCH_NAME) return answer_empty(asked, SERVER_FAILURE);
  /* Too long even for us: a sandbox that asks by datagram tries once more by stream, and hears the same there. */
  if (message[2] & 0x02) return answer_empty(asked, SERVER_FAILURE);
  size_t end = after_answers(message, size, start, count, &last);
  if (!end && last.has_address) notes_of_name(link, NAME_LEADS_INSIDE, asked->question, &last.address);
  if (!end) return answer_empty(asked, OK);
  if (lists_has(link)) grant_answers(link, message, end, start, now_ms());
  answer(asked, code, count, message + start, end - start);
}

static void read_answer(int upstream, int port) {
  static uint8_t message[MESSAGE_MAX];
  ssize_t size = recv(upstreams[upstream][port], message, sizeof message, MSG_DONTWAIT);
  if (size < HEADER || !(message[2] & 0x80)) return;
  struct pending *asked = NULL;
  for (int i = 0; i < MAX_PENDING && !asked; i++) {
    struct pending *one = &pending[i];
    bool fits = one->used && one->id == get16(message) && one->upstream == upstream && one->port == port;
    if (fits && same_question(one, message, size)) asked = one;
  }
  if (!asked) return;
  pass_on(asked, message, size);
  asked->used = false;
}

static void expire(uint64_t now) {
  for (int i = 0; i < MAX_PENDING; i++) {
    if (!pending[i].used || pending[i].deadline > now) continue;
    if (pending[i].tries < TRIES) ask_upstream(&pending[i], now);
    else {
      answer_empty(&pending[i], SERVER_FAILURE);
      pending[i].used = false;
    }
  }
  for (int i = 0; i < MAX_STREAMS; i++)
    if (streams[i].socket >= 0 && streams[i].deadline <= now) close_stream(&streams[i]);
}

static bool is_idle(void) {
  for (int i = 0; i < MAX_PENDING; i++) if (pending[i].used) return false;
  for (int i = 0; i < MAX_STREAMS; i++) if (streams[i].socket >= 0) return false;
  return true;
}

static _Noreturn void serve(void) {
  enum { CONTROL, REFUSALS, DATAGRAMS, LISTENER, UPSTREAMS, STREAMS = UPSTREAMS + MAX_UPSTREAMS * PORTS, ALL = STREAMS + MAX_STREAMS };
  for (;;) {
    struct pollfd waits[ALL];
    for (int i = 0; i < ALL; i++) waits[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
    waits[CONTROL].fd = 0;
    waits[REFUSALS].fd = refusals;
    waits[DATAGRAMS].fd = control_ready() ? datagrams : -1;
    waits[LISTENER].fd = control_ready() ? listener : -1;
    for (int i = 0; i < upstream_count * PORTS; i++) waits[UPSTREAMS + i].fd = upstreams[i / PORTS][i % PORTS];
    for (int i = 0; i < MAX_STREAMS; i++) waits[STREAMS + i].fd = streams[i].socket;
    if (poll(waits, ALL, is_idle() ? -1 : 100) < 0 && errno != EINTR) _exit(1);
    uint64_t now = now_ms();
    expire(now);
    /* A list holds from the moment that the agent hears of it: what is asked afterwards comes after it. */
    if (waits[CONTROL].revents) control_read();
    if (waits[REFUSALS].revents) notes_read();
    if (waits[DATAGRAMS].revents) read_datagram();
    for (int i = 0; i < upstream_count * PORTS; i++)
      if (waits[UPSTREAMS + i].revents) read_answer(i / PORTS, i % PORTS);
    for (int i = 0; i < MAX_STREAMS; i++)
      if (waits[STREAMS + i].revents && streams[i].socket == waits[STREAMS + i].fd) read_stream(i, now);
    if (waits[LISTENER].revents) accept_stream(now);
  }
}

/* ---- before the first byte ---- */

static void read_ranges(char *text) {
  for (char *one; (one = strsep(&text, ",")) && range_count < MAX_RANGES; range_count++) {
    char *bits = strchr(one, '/');
    if (!bits) _exit(2);
    *bits = 0;
    ranges[range_count].is6 = strchr(one, ':');
    ranges[range_count].bits = atoi(bits + 1);
    if (inet_pton(ranges[range_count].is6 ? AF_INET6 : AF_INET, one, ranges[range_count].net) != 1) _exit(2);
  }
  if (text) _exit(2);
}

static void open_upstream(const char *text) {
  struct sockaddr_in ip4 = { .sin_family = AF_INET, .sin_port = htons(PORT) };
  struct sockaddr_in6 ip6 = { .sin6_family = AF_INET6, .sin6_port = htons(PORT) };
  bool is6 = inet_pton(AF_INET6, text, &ip6.sin6_addr) == 1;
  if (!is6 && inet_pton(AF_INET, text, &ip4.sin_addr) != 1) return;
  for (int i = 0; i < PORTS; i++) {
    int udp = socket(is6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (udp < 0 || connect(udp, is6 ? (void *)&ip6 : (void *)&ip4, is6 ? sizeof ip6 : sizeof ip4)) return;
    upstreams[upstream_count][i] = udp;
  }
  upstream_count++;
}

static bool open_downstream(const char *address) {
  struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(PORT) };
  int yes = 1;
  datagrams = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  return inet_aton(address, &at.sin_addr) && !setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) &&
         !bind(datagrams, (struct sockaddr *)&at, sizeof at) && !bind(listener, (struct sockaddr *)&at, sizeof at) &&
         !listen(listener, MAX_STREAMS);
}

static bool give_up_everything(uid_t uid) {
  struct rlimit none = { 0, 0 }, no_core = { 1, 1 };
  if (unshare(CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)) return false;
  if (mount("tmpfs", "/proc", "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=4k") || chroot("/proc") || chdir("/"))
    return false;
  if (setgroups(0, NULL) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid)) return false;
  return !setrlimit(RLIMIT_NPROC, &none) && !setrlimit(RLIMIT_CORE, &no_core) && !setrlimit(RLIMIT_FSIZE, &none) &&
         !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) &&
         !prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

static bool allow_only_serving(void) {
#define ALLOW(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
  struct sock_filter filter[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
#ifdef __x86_64__
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
#else
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_AARCH64, 1, 0),
#endif
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    ALLOW(recvfrom), ALLOW(sendto), ALLOW(accept4), ALLOW(close), ALLOW(ppoll), ALLOW(getrandom), ALLOW(clock_gettime),
#ifdef SYS_poll
    ALLOW(poll),
#endif
    ALLOW(exit_group), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  struct sock_fprog program = { .len = sizeof filter / sizeof *filter, .filter = filter };
  return !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int count, char **arguments) {
  if (count < 7 || !inet_aton(arguments[3], &base)) return 2;
  for (int i = 0; i < MAX_STREAMS; i++) streams[i].socket = -1;
  read_ranges(arguments[5]);
  for (int i = 6; i < count && upstream_count < MAX_UPSTREAMS; i++) open_upstream(arguments[i]);
  int router = open(arguments[1], O_RDONLY | O_CLOEXEC);
  if (!upstream_count || router < 0 || setns(router, CLONE_NEWNET) || !open_downstream(arguments[2])) return 2;
  close(router);
  refusals = notes_open();
  if (refusals < 0 || !lists_open()) return 2;
  if (!give_up_everything(atoi(arguments[4])) || !allow_only_serving()) return 3;
  serve();
}
