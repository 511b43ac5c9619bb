/*
 * Makes and holds the network links of sandboxes. The host agent starts one, as root, and asks it line by line:
 *
 *   make           answer: `link <index> <descriptor> <inode>`, or `failed <step>: <reason>`
 *   drop <fd>      closes a link
 *   forget <index> the sandbox of this link has ended
 *   sweep          deletes the connections of these links, see tracked.c
 *
 * A link is a network namespace with a loopback and `eth0`, joined to the router's namespace (see router.ts) by a pair
 * of devices. Nothing has a name in a file system: a namespace lives as long as someone holds it, which is this process
 * until the sandbox has it, and vanishes with its devices after that. So links that were never used die with this
 * process, which dies with the agent, and a link in use survives both.
 *
 * Inside, an address of its own, one route and no neighbour; outside, the device `r<index>` with the one route back.
 * Both sides belong to the host's user namespace: a sandbox has no right over either.
 */
#define _GNU_SOURCE
#include "links/links.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOOPBACK = 1, INSIDE = 2, ADDR_GEN_NONE = 1 };

static struct {
  int home, socket;
  struct in_addr base, gateway;
  struct in6_addr prefix;
  bool has_ip6;
} router;

static char problem[128];

static bool failed(const char *step, int reason) {
  snprintf(problem, sizeof problem, "%s: %s", step, strerror(reason));
  errno = reason;
  return false;
}

/* ---- messages to the kernel ---- */

struct request {
  struct nlmsghdr head;
  char body[1024];
};

static struct request new_request(uint16_t type, uint16_t flags, const void *family_header, size_t size) {
  struct request request = { .head = { .nlmsg_len = (uint32_t)NLMSG_LENGTH(size), .nlmsg_type = type,
                                       .nlmsg_flags = (uint16_t)(NLM_F_REQUEST | NLM_F_ACK | flags) } };
  memcpy(NLMSG_DATA(&request.head), family_header, size);
  return request;
}

static struct rtattr *put(struct request *request, uint16_t type, const void *value, size_t size) {
  struct rtattr *attribute = (struct rtattr *)((char *)request + NLMSG_ALIGN(request->head.nlmsg_len));
  attribute->rta_type = type;
  attribute->rta_len = (uint16_t)RTA_LENGTH(size);
  if (size) memcpy(RTA_DATA(attribute), value, size);
  request->head.nlmsg_len = (uint32_t)(NLMSG_ALIGN(request->head.nlmsg_len) + RTA_LENGTH(size));
  return attribute;
}

static struct rtattr *nest(struct request *request, uint16_t type) { return put(request, type, NULL, 0); }

static void nested(struct request *request, struct rtattr *attribute) {
  request->head.nlmsg_len = NLMSG_ALIGN(request->head.nlmsg_len);
  attribute->rta_len = (uint16_t)((char *)request + request->head.nlmsg_len - (char *)attribute);
}

/* Sends one request and reads the kernel's answer to it. */
static bool ask(int netlink, const struct request *request, const char *step) {
  char answer[4096];
  if (send(netlink, request, request->head.nlmsg_len, 0) < 0) return failed(step, errno);
  ssize_t count = recv(netlink, answer, sizeof answer, 0);
  const struct nlmsghdr *head = (const struct nlmsghdr *)answer;
  if (count < 0) return failed(step, errno);
  if (!NLMSG_OK(head, (size_t)count) || head->nlmsg_type != NLMSG_ERROR) return failed(step, EPROTO);
  int error = ((const struct nlmsgerr *)NLMSG_DATA(head))->error;
  return error ? failed(step, -error) : true;
}

static bool make_pair(int index, int inside) {
  struct ifinfomsg outer = { .ifi_index = FIRST_OUTSIDE + index }, inner = { .ifi_index = INSIDE };
  struct request request = new_request(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &outer, sizeof outer);
  char name[IFNAMSIZ];
  put(&request, IFLA_IFNAME, name, snprintf(name, sizeof name, "r%d", index) + 1);
  struct rtattr *link = nest(&request, IFLA_LINKINFO);
  put(&request, IFLA_INFO_KIND, "veth", 5);
  struct rtattr *veth = nest(&request, IFLA_INFO_DATA), *peer = nest(&request, VETH_INFO_PEER);
  memcpy((char *)&request + NLMSG_ALIGN(request.head.nlmsg_len), &inner, sizeof inner);
  request.head.nlmsg_len = NLMSG_ALIGN(request.head.nlmsg_len) + sizeof inner;
  put(&request, IFLA_IFNAME, "eth0", 5);
  put(&request, IFLA_NET_NS_FD, &inside, sizeof inside);
  nested(&request, peer);
  nested(&request, veth);
  nested(&request, link);
  return ask(router.socket, &request, "device pair");
}

/* With no address that the kernel makes up by itself. */
static bool set_up(int netlink, int device) {
  struct ifinfomsg link = { .ifi_index = device }, up = { .ifi_index = device, .ifi_flags = IFF_UP, .ifi_change = IFF_UP };
  uint8_t mode = ADDR_GEN_NONE;
  struct request request = new_request(RTM_SETLINK, 0, &link, sizeof link);
  struct rtattr *families = nest(&request, IFLA_AF_SPEC), *ip6 = nest(&request, AF_INET6);
  put(&request, IFLA_INET6_ADDR_GEN_MODE, &mode, sizeof mode);
  nested(&request, ip6);
  nested(&request, families);
  if (router.has_ip6 && device != LOOPBACK && !ask(netlink, &request, "device")) return false;
  request = new_request(RTM_SETLINK, 0, &up, sizeof up);
  return ask(netlink, &request, "device up");
}

static bool add_address(int netlink, int device, uint8_t family, const void *address, uint8_t bits) {
  struct ifaddrmsg message = { .ifa_family = family, .ifa_prefixlen = bits, .ifa_index = device, .ifa_flags = IFA_F_NODAD };
  struct request request = new_request(RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, &message, sizeof message);
  size_t size = family == AF_INET ? sizeof(struct in_addr) : sizeof(struct in6_addr);
  put(&request, IFA_LOCAL, address, size);
  put(&request, IFA_ADDRESS, address, size);
  return ask(netlink, &request, "address");
}

/* A route to one address, or with `gateway` to everywhere. */
static bool add_route(int netlink, int device, uint8_t family, const void *target, const void *gateway) {
  size_t size = family == AF_INET ? sizeof(struct in_addr) : sizeof(struct in6_addr);
  struct rtmsg message = { .rtm_family = family, .rtm_dst_len = target ? (uint8_t)(size * 8) : 0, .rtm_table = RT_TABLE_MAIN,
                           .rtm_protocol = RTPROT_STATIC, .rtm_type = RTN_UNICAST,
                           .rtm_scope = gateway || family == AF_INET6 ? RT_SCOPE_UNIVERSE : RT_SCOPE_LINK,
                           .rtm_flags = gateway ? RTNH_F_ONLINK : 0 };
  struct request request = new_request(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, &message, sizeof message);
  if (target) put(&request, RTA_DST, target, size);
  if (gateway) put(&request, RTA_GATEWAY, gateway, size);
  put(&request, RTA_OIF, &device, sizeof device);
  return ask(netlink, &request, "route");
}

/* ---- one link ---- */

static const struct in6_addr beside = { .s6_addr = { 0xfe, 0x80, [15] = 1 } };

static struct in_addr address_of(int index) {
  return (struct in_addr){ .s_addr = htonl(ntohl(router.base.s_addr) + index) };
}

static struct in6_addr address6_of(int index) {
  struct in6_addr address = router.prefix;
  address.s6_addr[14] = (uint8_t)(index >> 8);
  address.s6_addr[15] = (uint8_t)index;
  return address;
}

static int checked(uint32_t index) { return index >= FIRST_INDEX && index <= INDEXES ? (int)index : 0; }

int links_index_of4(const struct in_addr *address) { return checked(ntohl(address->s_addr) - ntohl(router.base.s_addr)); }

int links_index_of6(const struct in6_addr *address) {
  enum { PREFIX_BYTES = 14 };
  if (!router.has_ip6 || memcmp(address, &router.prefix, PREFIX_BYTES)) return 0;
  return checked((uint32_t)(address->s6_addr[PREFIX_BYTES] << 8 | address->s6_addr[PREFIX_BYTES + 1]));
}

static bool furnish_inside(int netlink, int index) {
  struct in_addr address = address_of(index);
  struct in6_addr address6 = address6_of(index);
  if (!set_up(netlink, LOOPBACK) || !set_up(netlink, INSIDE)) return false;
  if (!add_address(netlink, INSIDE, AF_INET, &address, 32)) return false;
  if (!add_route(netlink, INSIDE, AF_INET, NULL, &router.gateway)) return false;
  if (!router.has_ip6) return true;
  return add_address(netlink, INSIDE, AF_INET6, &address6, 128) && add_route(netlink, INSIDE, AF_INET6, NULL, &beside);
}

static bool furnish_outside(int index) {
  int device = FIRST_OUTSIDE + index;
  struct in_addr address = address_of(index);
  struct in6_addr address6 = address6_of(index);
  if (!set_up(router.socket, device)) return false;
  if (!add_route(router.socket, device, AF_INET, &address, NULL)) return false;
  if (!router.has_ip6) return true;
  return add_address(router.socket, device, AF_INET6, &beside, 64) &&
         add_route(router.socket, device, AF_INET6, &address6, NULL);
}

static int open_netlink(void) { return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE); }

/* Nobody else has these ports here, and a program in a sandbox has no capability to open the lower ones with. */
static bool open_low_ports(void) {
  int setting = open("/proc/sys/net/ipv4/ip_unprivileged_port_start", O_WRONLY | O_CLOEXEC);
  bool done = setting >= 0 && write(setting, "0", 1) == 1;
  if (setting >= 0) close(setting);
  return done;
}

/* A namespace with nothing in it and a socket to furnish it by. The caller is back home afterwards, or ends. */
static int new_namespace(int *netlink) {
  if (unshare(CLONE_NEWNET)) return -1;
  int namespace = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
  *netlink = open_netlink();
  bool furnished = open_low_ports();
  if (setns(router.home, CLONE_NEWNET)) exit(1);
  if (furnished && *netlink >= 0) return namespace;
  if (namespace >= 0) close(namespace);
  return -1;
}

/* The descriptor of a finished link; -1 with `problem` set. Skips an index that a living sandbox has. */
static int make_link(int *index) {
  int netlink = -1, namespace = new_namespace(&netlink);
  bool made = namespace >= 0 || failed("namespace", errno);
  for (int tries = 0; made; tries++) {
    *index = *index < INDEXES ? *index + 1 : FIRST_INDEX;
    if (make_pair(*index, namespace)) break;
    made = errno == EEXIST && tries < INDEXES;
  }
  made = made && furnish_inside(netlink, *index) && furnish_outside(*index);
  if (netlink >= 0) close(netlink);
  if (made) return namespace;
  if (namespace >= 0) close(namespace);
  return -1;
}

int main(int count, char **arguments) {
  char line[64];
  struct stat namespace;
  if (count != 6) return 2;
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  router.home = open(arguments[1], O_RDONLY | O_CLOEXEC);
  router.has_ip6 = strcmp(arguments[5], "-");
  bool read = inet_aton(arguments[3], &router.base) && inet_aton(arguments[4], &router.gateway) &&
              (!router.has_ip6 || inet_pton(AF_INET6, arguments[5], &router.prefix) == 1);
  if (!read || router.home < 0 || !tracked_open_host() || setns(router.home, CLONE_NEWNET)) return 2;
  router.socket = open_netlink();
  if (router.socket < 0) return 2;
  int index = atoi(arguments[2]);
  while (fgets(line, sizeof line, stdin)) {
    if (!strncmp(line, "drop ", 5)) {
      int held = atoi(line + 5);
      if (held > router.socket) close(held);
      continue;
    }
    if (!strncmp(line, "forget ", 7)) {
      tracked_forget(atoi(line + 7));
      continue;
    }
    if (!strcmp(line, "sweep\n")) {
      tracked_sweep();
      continue;
    }
    int link = make_link(&index);
    if (link >= 0 && !fstat(link, &namespace))
      printf("link %d %d %llu\n", index, link, (unsigned long long)namespace.st_ino);
    else printf("failed %s\n", problem);
    fflush(stdout);
  }
  return 0;
}
