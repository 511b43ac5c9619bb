/*
 * Refusals of each link, until the agent fetches it or drops the link: packets, which the router's rules hand over by
 * netlink as they refuse them (rules.ts bounds how many of one link), and names. Of a link whose reach is recorded also what
 * it reached: its new connections, which the rules hand over too, and the addresses that its names led to. Equal refusals
 * are one record with a count. A link has at most RECORDS_OF_ONE records of each kind, and a count of all others. A record
 * is reported as
 *
 *   refused <reason> <protocol> <address or -> <port> <count> <first> <last> <name or ->
 *
 * with numbers for reason and protocol and times in milliseconds; what was reached has reason CONNECTED or RESOLVED. After
 * the last record comes `more <refused> <connected>`.
 */
#define _GNU_SOURCE
#include "resolver/resolver.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_log.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* LOG_GROUP as in rules.ts. */
enum { LOG_GROUP = 1, SNAP_BYTES = 64, MAX_REFUSALS = 32768, RECORDS_OF_ONE = 200, NAME_TEXT = 256 };
/* Kinds of records, so that none takes the room of another. */
enum { REFUSED, REACHED, NAMED, KINDS };
enum { TCP = 6, UDP = 17, IP6_HEADER = 40 };

struct subject {
  uint8_t reason, protocol;
  uint16_t port;
  bool has_address;
  struct address address;
  uint8_t name[NAME_MAX_BYTES];
};

/* Slot 0 means none. */
static struct refusal {
  uint16_t next;
  struct subject subject;
  uint32_t count;
  uint64_t first_ms, last_ms;
} refusals[MAX_REFUSALS];
static uint16_t first_of[LINKS], size_of[KINDS][LINKS], free_slot, unused_slot = 1;
static uint32_t more_of[KINDS][LINKS];
static bool is_recorded[LINKS];
static int packets = -1;

static uint16_t new_slot(void) {
  uint16_t slot = free_slot;
  if (slot) free_slot = refusals[slot].next;
  else if (unused_slot < MAX_REFUSALS) slot = unused_slot++;
  return slot;
}

static int kind_of(uint8_t reason) { return reason == CONNECTED ? REACHED : reason == RESOLVED ? NAMED : REFUSED; }

static void add(uint16_t link, const struct subject *subject) {
  int kind = kind_of(subject->reason);
  uint64_t now = clock_ms(CLOCK_REALTIME);
  for (uint16_t at = first_of[link]; at; at = refusals[at].next) {
    if (memcmp(&refusals[at].subject, subject, sizeof *subject)) continue;
    refusals[at].count++;
    refusals[at].last_ms = now;
    return;
  }
  uint16_t slot = size_of[kind][link] < RECORDS_OF_ONE ? new_slot() : 0;
  if (!slot) {
    more_of[kind][link]++;
    return;
  }
  refusals[slot].next = first_of[link];
  refusals[slot].subject = *subject;
  refusals[slot].count = 1;
  refusals[slot].first_ms = refusals[slot].last_ms = now;
  first_of[link] = slot;
  size_of[kind][link]++;
}

/* A subject is compared as bytes, so none of them may be left to chance. */
static struct subject *new_subject(int reason) {
  static struct subject subject;
  memset(&subject, 0, sizeof subject);
  subject.reason = (uint8_t)reason;
  return &subject;
}

void refusals_add_name(uint16_t link, int reason, const uint8_t *name, const struct address *address) {
  struct subject *subject = new_subject(reason);
  size_t size = 0;
  while (name[size] && size + 1 + name[size] < NAME_MAX_BYTES) size += 1 + name[size];
  for (size_t i = 0; i < size; i++) subject->name[i] = name[i] >= 'A' && name[i] <= 'Z' ? name[i] | 0x20 : name[i];
  subject->has_address = address;
  if (address) subject->address = *address;
  add(link, subject);
}

void refusals_record(uint16_t link) { is_recorded[link] = true; }

void refusals_add_answer(uint16_t link, const uint8_t *name, const struct address *address) {
  if (is_recorded[link]) refusals_add_name(link, RESOLVED, name, address);
}

/* ---- packets ---- */

static bool configure(uint16_t type, const void *value, size_t size) {
  struct { struct nlmsghdr head; struct nfgenmsg family; struct nlattr attribute; char value[8]; } request = {
    .head = { .nlmsg_len = (uint32_t)(NLMSG_LENGTH(sizeof request.family) + NLA_HDRLEN + NLA_ALIGN(size)),
              .nlmsg_type = NFNL_SUBSYS_ULOG << 8 | NFULNL_MSG_CONFIG, .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK },
    .family = { .version = NFNETLINK_V0, .res_id = htons(LOG_GROUP) },
    .attribute = { .nla_len = (uint16_t)(NLA_HDRLEN + size), .nla_type = type },
  };
  struct { struct nlmsghdr head; struct nlmsgerr error; char rest[256]; } answer;
  memcpy(request.value, value, size);
  if (send(packets, &request, request.head.nlmsg_len, 0) < 0) return false;
  ssize_t count = recv(packets, &answer, sizeof answer, 0);
  return count >= (ssize_t)(NLMSG_LENGTH(sizeof answer.error)) && answer.head.nlmsg_type == NLMSG_ERROR && !answer.error.error;
}

int refusals_open(void) {
  struct nfulnl_msg_config_cmd bind = { .command = NFULNL_CFG_CMD_BIND };
  struct nfulnl_msg_config_mode mode = { .copy_range = htonl(SNAP_BYTES), .copy_mode = NFULNL_COPY_PACKET };
  uint32_t each = htonl(1);
  packets = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
  bool done = packets >= 0 && configure(NFULA_CFG_CMD, &bind, sizeof bind) &&
              configure(NFULA_CFG_MODE, &mode, sizeof mode) && configure(NFULA_CFG_QTHRESH, &each, sizeof each);
  return done ? packets : -1;
}

static void add_packet(const uint8_t *packet, size_t size, uint32_t reason) {
  struct subject *subject = new_subject(reason);
  size_t ports;
  uint16_t link;
  if (size >= sizeof(uint32_t) * 5 && packet[0] >> 4 == 4) {
    struct in_addr from;
    memcpy(&from, packet + 12, sizeof from);
    memcpy(subject->address.bytes, packet + 16, 4);
    link = resolver_link_of(from);
    subject->protocol = packet[9];
    ports = (packet[0] & 0x0f) * 4;
  } else if (size >= IP6_HEADER && packet[0] >> 4 == 6) {
    /* The link's number ends its address (links.c), which the rules have compared with its device. */
    link = packet[22] << 8 | packet[23];
    memcpy(subject->address.bytes, packet + 24, 16);
    subject->address.is6 = true;
    subject->protocol = packet[6];
    ports = IP6_HEADER;
  } else return;
  subject->has_address = true;
  bool has_ports = subject->protocol == TCP || subject->protocol == UDP;
  if (has_ports && ports + 4 <= size) subject->port = packet[ports + 2] << 8 | packet[ports + 3];
  if (link) add(link, subject);
}

static void read_message(const struct nlmsghdr *head) {
  size_t left = NLMSG_PAYLOAD(head, sizeof(struct nfgenmsg)), size = 0;
  const char *at = (const char *)NLMSG_DATA(head) + NLMSG_ALIGN(sizeof(struct nfgenmsg));
  const uint8_t *packet = NULL;
  uint32_t mark = 0;
  if (head->nlmsg_type != (NFNL_SUBSYS_ULOG << 8 | NFULNL_MSG_PACKET) || head->nlmsg_len < NLMSG_LENGTH(sizeof(struct nfgenmsg)))
    return;
  while (left >= NLA_HDRLEN) {
    const struct nlattr *attribute = (const struct nlattr *)at;
    if (attribute->nla_len < NLA_HDRLEN || attribute->nla_len > left) return;
    const void *value = at + NLA_HDRLEN;
    size_t length = attribute->nla_len - NLA_HDRLEN;
    if (attribute->nla_type == NFULA_MARK && length == sizeof mark) memcpy(&mark, value, sizeof mark);
    if (attribute->nla_type == NFULA_PAYLOAD) packet = value, size = length;
    size_t step = NLA_ALIGN(attribute->nla_len);
    if (step > left) break;
    at += step;
    left -= step;
  }
  if (packet) add_packet(packet, size, ntohl(mark));
}

/* NLMSG_NEXT would step behind the end where the last message has a length that is not aligned. */
static void read_messages(const char *at, size_t left) {
  for (const struct nlmsghdr *head; head = (const struct nlmsghdr *)at, NLMSG_OK(head, left);) {
    size_t step = NLMSG_ALIGN(head->nlmsg_len);
    read_message(head);
    if (step > left) return;
    at += step;
    left -= step;
  }
}

void refusals_read(void) {
  static char buffer[65536] __attribute__((aligned(NLMSG_ALIGNTO)));
  for (;;) {
    ssize_t count = recv(packets, buffer, sizeof buffer, MSG_DONTWAIT);
    /* Where too many came at once some are lost: that is a bound, too. */
    if (count < 0 && errno == ENOBUFS) continue;
    if (count <= 0) return;
    read_messages(buffer, (size_t)count);
  }
}

/* ---- towards the agent ---- */

/* As zone files write names: a byte that is no letter, digit, hyphen or underscore stands as `\ddd`. Long ones are cut. */
static void write_name(const uint8_t *name, char text[NAME_TEXT]) {
  char *at = text, *end = text + NAME_TEXT - sizeof "\\000....";
  for (uint8_t length; (length = *name++) && at < end; *at++ = '.')
    for (; length > 0 && at < end; length--, name++) {
      bool plain = (*name >= 'a' && *name <= 'z') || (*name >= '0' && *name <= '9') || *name == '-' || *name == '_';
      if (plain) *at++ = *name;
      else at += sprintf(at, "\\%03d", *name);
    }
  if (at == text) strcpy(text, "-");
  else strcpy(at - 1, at < end ? "" : "...");
}

static void report(const struct refusal *refusal) {
  char line[NAME_TEXT + 256], name[NAME_TEXT], address[INET6_ADDRSTRLEN] = "-";
  const struct subject *subject = &refusal->subject;
  if (subject->has_address)
    inet_ntop(subject->address.is6 ? AF_INET6 : AF_INET, subject->address.bytes, address, sizeof address);
  write_name(subject->name, name);
  int size = snprintf(line, sizeof line, "refused %u %u %s %u %u %llu %llu %s\n", subject->reason, subject->protocol, address,
                      subject->port, refusal->count, (unsigned long long)refusal->first_ms, (unsigned long long)refusal->last_ms, name);
  control_send(line, size);
}

static void forget(uint16_t link) {
  for (uint16_t at = first_of[link], next; at; at = next) {
    next = refusals[at].next;
    refusals[at].next = free_slot;
    free_slot = at;
  }
  first_of[link] = 0;
  for (int kind = 0; kind < KINDS; kind++) size_of[kind][link] = 0, more_of[kind][link] = 0;
}

void refusals_report(uint16_t link) {
  char line[64];
  refusals_read();
  for (uint16_t at = first_of[link]; at; at = refusals[at].next) report(&refusals[at]);
  control_send(line, snprintf(line, sizeof line, "more %u %u\n", more_of[REFUSED][link], more_of[REACHED][link]));
  forget(link);
}

/* Packets and answers may arrive after the last report. The next sandbox of the link must not get them. */
void refusals_drop(uint16_t link) {
  is_recorded[link] = false;
  refusals_read();
  forget(link);
}
