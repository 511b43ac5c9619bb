/*
 * Connections in the kernel's tables. A connection whose ends do not close it stays there for hours, in the host's table for days,
 * and each table has one limit for all sandboxes. So the connections of a link are deleted when it has ended: runs that leave
 * connections behind take no place from others.
 *
 * An entry of the router's table has the address of the link, and what the router expects in return. From that follows the entry of
 * the same connection in the host's table, where all of them have the address of the router.
 */
#define _GNU_SOURCE
#include "links/links.h"

#include <linux/netfilter/nf_conntrack_common.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_conntrack.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ANSWER_BYTES = 1 << 16, ATTRIBUTES_BYTES = 256 };

static bool forgotten[INDEXES + 1], has_forgotten;
static int host = -1, router = -1;

static int open_table(void) { return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER); }

bool tracked_open_host(void) { return (host = open_table()) >= 0; }

void tracked_forget(int index) {
  if (index < FIRST_INDEX || index > INDEXES) return;
  forgotten[index] = has_forgotten = true;
}

/* ---- attributes of the kernel's messages ---- */

static const struct nlattr *find(const void *from, size_t left, int type) {
  for (const char *at = from; left >= NLA_HDRLEN;) {
    const struct nlattr *attribute = (const struct nlattr *)at;
    if (attribute->nla_len < NLA_HDRLEN || attribute->nla_len > left) return NULL;
    if ((attribute->nla_type & NLA_TYPE_MASK) == type) return attribute;
    size_t step = NLA_ALIGN(attribute->nla_len);
    if (step > left) return NULL;
    at += step;
    left -= step;
  }
  return NULL;
}

static const struct nlattr *find_in(const struct nlattr *nest, int type) {
  return nest ? find((const char *)nest + NLA_HDRLEN, nest->nla_len - NLA_HDRLEN, type) : NULL;
}

/* The value of an attribute of that size; NULL if there is none. */
static const void *value_in(const struct nlattr *nest, int type, size_t size) {
  const struct nlattr *found = find_in(nest, type);
  return found && found->nla_len == NLA_HDRLEN + size ? (const char *)found + NLA_HDRLEN : NULL;
}

/* ---- requests ---- */

struct request {
  struct nlmsghdr head;
  struct nfgenmsg family;
  char attributes[ATTRIBUTES_BYTES];
};

static struct request new_request(uint16_t type, uint16_t flags, uint8_t family) {
  return (struct request){
    .head = { .nlmsg_len = NLMSG_LENGTH(sizeof(struct nfgenmsg)), .nlmsg_type = (uint16_t)(NFNL_SUBSYS_CTNETLINK << 8 | type),
              .nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags) },
    .family = { .nfgen_family = family, .version = NFNETLINK_V0 },
  };
}

static struct nlattr *put(struct request *request, int type, const void *value, size_t size) {
  struct nlattr *attribute = (struct nlattr *)((char *)request + request->head.nlmsg_len);
  attribute->nla_type = (uint16_t)type;
  attribute->nla_len = (uint16_t)(NLA_HDRLEN + size);
  if (size) memcpy((char *)attribute + NLA_HDRLEN, value, size);
  request->head.nlmsg_len += (uint32_t)NLA_ALIGN(attribute->nla_len);
  return attribute;
}

static struct nlattr *nest(struct request *request, int type) { return put(request, type | NLA_F_NESTED, NULL, 0); }

static void nested(struct request *request, struct nlattr *attribute) {
  attribute->nla_len = (uint16_t)((char *)request + request->head.nlmsg_len - (char *)attribute);
}

/* An entry that has just ended by itself is deleted already. */
static void send_deletion(int table, const struct request *request) {
  char answer[4096];
  if (send(table, request, request->head.nlmsg_len, 0) > 0) (void)!recv(table, answer, sizeof answer, 0);
}

/* ---- deletion ---- */

static bool is_forgotten(const struct nlattr *tuple) {
  const struct nlattr *addresses = find_in(tuple, CTA_TUPLE_IP);
  const struct in_addr *ip4 = value_in(addresses, CTA_IP_V4_SRC, sizeof *ip4);
  const struct in6_addr *ip6 = value_in(addresses, CTA_IP_V6_SRC, sizeof *ip6);
  return forgotten[ip4 ? links_index_of4(ip4) : ip6 ? links_index_of6(ip6) : 0];
}

static void delete_from_router(uint8_t family, const struct nlattr *tuple) {
  struct request request = new_request(IPCTNL_MSG_CT_DELETE, NLM_F_ACK, family);
  if (tuple->nla_len > sizeof request.attributes) return;
  put(&request, CTA_TUPLE_ORIG | NLA_F_NESTED, (const char *)tuple + NLA_HDRLEN, tuple->nla_len - NLA_HDRLEN);
  send_deletion(router, &request);
}

/* `expected`: the packets that the router expects in return. */
static void delete_from_host(uint8_t family, const struct nlattr *expected) {
  bool is6 = family == AF_INET6;
  size_t size = is6 ? sizeof(struct in6_addr) : sizeof(struct in_addr);
  int from_type = is6 ? CTA_IP_V6_SRC : CTA_IP_V4_SRC, to_type = is6 ? CTA_IP_V6_DST : CTA_IP_V4_DST;
  const struct nlattr *addresses = find_in(expected, CTA_TUPLE_IP), *ports = find_in(expected, CTA_TUPLE_PROTO);
  const void *from = value_in(addresses, to_type, size), *to = value_in(addresses, from_type, size);
  const void *protocol = value_in(ports, CTA_PROTO_NUM, sizeof(uint8_t));
  const void *from_port = value_in(ports, CTA_PROTO_DST_PORT, sizeof(uint16_t));
  const void *to_port = value_in(ports, CTA_PROTO_SRC_PORT, sizeof(uint16_t));
  if (!from || !to || !protocol || !from_port || !to_port) return;
  struct request request = new_request(IPCTNL_MSG_CT_DELETE, NLM_F_ACK, family);
  struct nlattr *tuple = nest(&request, CTA_TUPLE_ORIG), *part = nest(&request, CTA_TUPLE_IP);
  put(&request, from_type, from, size);
  put(&request, to_type, to, size);
  nested(&request, part);
  part = nest(&request, CTA_TUPLE_PROTO);
  put(&request, CTA_PROTO_NUM, protocol, sizeof(uint8_t));
  put(&request, CTA_PROTO_SRC_PORT, from_port, sizeof(uint16_t));
  put(&request, CTA_PROTO_DST_PORT, to_port, sizeof(uint16_t));
  nested(&request, part);
  nested(&request, tuple);
  send_deletion(host, &request);
}

static void judge(const struct nlmsghdr *head) {
  const struct nfgenmsg *message = NLMSG_DATA(head);
  if (head->nlmsg_len < NLMSG_SPACE(sizeof *message)) return;
  const char *attributes = (const char *)message + NLMSG_ALIGN(sizeof *message);
  size_t size = head->nlmsg_len - NLMSG_SPACE(sizeof *message);
  const struct nlattr *tuple = find(attributes, size, CTA_TUPLE_ORIG);
  if (!tuple || !is_forgotten(tuple)) return;
  /* While the router has the entry, no other connection gets its port, and so none the host's entry. */
  delete_from_host(message->nfgen_family, find(attributes, size, CTA_TUPLE_REPLY));
  delete_from_router(message->nfgen_family, tuple);
}

/* False after the last message. */
static bool judge_all(const char *at, size_t left) {
  for (const struct nlmsghdr *head; head = (const struct nlmsghdr *)at, NLMSG_OK(head, left);) {
    size_t step = NLMSG_ALIGN(head->nlmsg_len);
    if (head->nlmsg_type == NLMSG_DONE || head->nlmsg_type == NLMSG_ERROR) return false;
    judge(head);
    if (step > left) break;
    at += step;
    left -= step;
  }
  return true;
}

/* A link that was made meanwhile with the same index has connections of its own. */
static void keep_links_in_use(void) {
  char name[IF_NAMESIZE];
  for (unsigned index = FIRST_INDEX; index <= INDEXES; index += 1)
    if (forgotten[index] && if_indextoname(FIRST_OUTSIDE + index, name)) forgotten[index] = false;
}

void tracked_sweep(void) {
  static char answer[ANSWER_BYTES] __attribute__((aligned(NLMSG_ALIGNTO)));
  struct request all = new_request(IPCTNL_MSG_CT_GET, NLM_F_DUMP, AF_UNSPEC);
  if (!has_forgotten) return;
  keep_links_in_use();
  int reader = open_table();
  router = open_table();
  bool more = reader >= 0 && router >= 0 && send(reader, &all, all.head.nlmsg_len, 0) > 0;
  while (more) {
    ssize_t count = recv(reader, answer, sizeof answer, 0);
    more = count > 0 && judge_all(answer, (size_t)count);
  }
  if (reader >= 0) close(reader);
  if (router >= 0) close(router);
  memset(forgotten, 0, sizeof forgotten);
  has_forgotten = false;
}
