/*
 * What was refused to each link, until the agent asks for it: packets, which the router's rules hand over by netlink as
 * they refuse them (rules.ts bounds how many of one link), and names. What is alike is one note with a count; a link has
 * at most NOTES_OF_ONE of them, and a count of all the rest. A note is told as
 *
 *   refused <reason> <protocol> <address or -> <port> <count> <first> <last> <name or ->
 *
 * with numbers for reason and protocol, times in milliseconds, and after the last one `more <count>`.
 */
#define _GNU_SOURCE
#include "resolver.h"

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
enum { LOG_GROUP = 1, SNAP_BYTES = 64, MAX_NOTES = 16384, NOTES_OF_ONE = 200, NAME_TEXT = 256 };
enum { TCP = 6, UDP = 17, IP6_HEADER = 40 };

struct subject {
  uint8_t reason, protocol;
  uint16_t port;
  bool has_address;
  struct address address;
  uint8_t name[NAME_MAX_BYTES];
};

/* Place 0 is nobody's. */
static struct note {
  uint16_t next;
  struct subject subject;
  uint32_t count;
  uint64_t first_ms, last_ms;
} notes[MAX_NOTES];
static uint16_t first_of[LINKS], size_of[LINKS], free_place, fresh_place = 1;
static uint32_t more_of[LINKS];
static int packets = -1;

static uint64_t wall_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1000ull + now.tv_nsec / 1000000;
}

static uint16_t new_place(void) {
  uint16_t place = free_place;
  if (place) free_place = notes[place].next;
  else if (fresh_place < MAX_NOTES) place = fresh_place++;
  return place;
}

static void note(uint16_t link, const struct subject *subject) {
  uint64_t now = wall_ms();
  for (uint16_t at = first_of[link]; at; at = notes[at].next) {
    if (memcmp(&notes[at].subject, subject, sizeof *subject)) continue;
    notes[at].count++;
    notes[at].last_ms = now;
    return;
  }
  uint16_t place = size_of[link] < NOTES_OF_ONE ? new_place() : 0;
  if (!place) {
    more_of[link]++;
    return;
  }
  notes[place].next = first_of[link];
  notes[place].subject = *subject;
  notes[place].count = 1;
  notes[place].first_ms = notes[place].last_ms = now;
  first_of[link] = place;
  size_of[link]++;
}

/* A subject is compared as bytes, so none of them may be left to chance. */
static struct subject *new_subject(int reason) {
  static struct subject subject;
  memset(&subject, 0, sizeof subject);
  subject.reason = reason;
  return &subject;
}

void notes_of_name(uint16_t link, int reason, const uint8_t *name, const struct address *address) {
  struct subject *subject = new_subject(reason);
  size_t size = 0;
  while (name[size] && size + 1 + name[size] < NAME_MAX_BYTES) size += 1 + name[size];
  for (size_t i = 0; i < size; i++) subject->name[i] = name[i] >= 'A' && name[i] <= 'Z' ? name[i] | 0x20 : name[i];
  subject->has_address = address;
  if (address) subject->address = *address;
  note(link, subject);
}

/* ---- packets ---- */

static bool configure(int type, const void *value, size_t size) {
  struct { struct nlmsghdr head; struct nfgenmsg family; struct nlattr attribute; char value[8]; } request = {
    .head = { .nlmsg_len = NLMSG_LENGTH(sizeof request.family) + NLA_HDRLEN + NLA_ALIGN(size),
              .nlmsg_type = NFNL_SUBSYS_ULOG << 8 | NFULNL_MSG_CONFIG, .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK },
    .family = { .version = NFNETLINK_V0, .res_id = htons(LOG_GROUP) },
    .attribute = { .nla_len = NLA_HDRLEN + size, .nla_type = type },
  };
  struct { struct nlmsghdr head; struct nlmsgerr error; char rest[256]; } answer;
  memcpy(request.value, value, size);
  if (send(packets, &request, request.head.nlmsg_len, 0) < 0) return false;
  ssize_t count = recv(packets, &answer, sizeof answer, 0);
  return count >= (ssize_t)(NLMSG_LENGTH(sizeof answer.error)) && answer.head.nlmsg_type == NLMSG_ERROR && !answer.error.error;
}

int notes_open(void) {
  struct nfulnl_msg_config_cmd bind = { .command = NFULNL_CFG_CMD_BIND };
  struct nfulnl_msg_config_mode mode = { .copy_range = htonl(SNAP_BYTES), .copy_mode = NFULNL_COPY_PACKET };
  uint32_t each = htonl(1);
  packets = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
  bool done = packets >= 0 && configure(NFULA_CFG_CMD, &bind, sizeof bind) &&
              configure(NFULA_CFG_MODE, &mode, sizeof mode) && configure(NFULA_CFG_QTHRESH, &each, sizeof each);
  return done ? packets : -1;
}

static void note_packet(const uint8_t *packet, size_t size, uint32_t reason) {
  struct subject *subject = new_subject(reason);
  size_t ports;
  uint16_t link;
  if (size >= sizeof(uint32_t) * 5 && packet[0] >> 4 == 4) {
    struct in_addr from;
    memcpy(&from, packet + 12, sizeof from);
    memcpy(subject->address.bytes, packet + 16, 4);
    link = link_of(from);
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
  if (link) note(link, subject);
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
  if (packet) note_packet(packet, size, ntohl(mark));
}

void notes_read(void) {
  static char buffer[65536] __attribute__((aligned(NLMSG_ALIGNTO)));
  for (;;) {
    ssize_t count = recv(packets, buffer, sizeof buffer, MSG_DONTWAIT);
    /* Where too many came at once some are lost: that is a bound, too. */
    if (count < 0 && errno == ENOBUFS) continue;
    if (count <= 0) return;
    for (struct nlmsghdr *head = (struct nlmsghdr *)buffer; NLMSG_OK(head, (size_t)count); head = NLMSG_NEXT(head, count))
      read_message(head);
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

static void tell(const struct note *note) {
  char line[NAME_TEXT + 256], name[NAME_TEXT], address[INET6_ADDRSTRLEN] = "-";
  const struct subject *subject = &note->subject;
  if (subject->has_address)
    inet_ntop(subject->address.is6 ? AF_INET6 : AF_INET, subject->address.bytes, address, sizeof address);
  write_name(subject->name, name);
  int size = snprintf(line, sizeof line, "refused %u %u %s %u %u %llu %llu %s\n", subject->reason, subject->protocol, address,
                      subject->port, note->count, (unsigned long long)note->first_ms, (unsigned long long)note->last_ms, name);
  control_say(line, size);
}

void notes_tell(uint16_t link) {
  char line[32];
  notes_read();
  for (uint16_t at = first_of[link], next; at; at = next) {
    next = notes[at].next;
    tell(&notes[at]);
    notes[at].next = free_place;
    free_place = at;
  }
  control_say(line, snprintf(line, sizeof line, "more %u\n", more_of[link]));
  first_of[link] = size_of[link] = 0;
  more_of[link] = 0;
}
