/*
 * The shim's part of a sandbox's network: it takes the namespace that the agent prepared (links.c), so that the link
 * lives as long as the sandbox whatever becomes of the agent, lets the runtime start inside of it, and reads the
 * counters of its device.
 *
 * The measure is what programs sent and received, not how it was cut into packets: the headers of a full packet are
 * taken off each packet that the device counted. A sandbox that sends tiny packets could hide others behind that, so
 * never more is taken off than full packets have. The kernel announces to its neighbours which groups it is in, whether a
 * program ever asks the network for anything or not: where nothing else was sent, nothing was.
 */
#define _GNU_SOURCE
#include "shim/shim.h"

#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* A sandbox that sends or receives at the fastest rate is measured again before it is far beyond its cap. */
enum { DEVICE = 2, FASTEST_BYTES_PER_MS = 4000000, SHORTEST_MS = 5, LONGEST_MS = 250 };

/* Ethernet, IP, and TCP with timestamps. */
enum { HEADERS = 14 + 20 + 32, LONGER_IN_6 = 20, HEADERS_PERCENT_MAX = 6 };

/* Where IFLA_INET6_STATS has the bytes received; what follows lies elsewhere from kernel to kernel. */
enum { IP6_IN = 2, IP6_COUNTERS };

/* Where IFLA_INET6_ICMP6STATS has the messages that the kernel itself sent. */
enum { ICMP6_OUT = 3, ICMP6_COUNTERS };

static int namespace = -1, counters = -1, meter = -1;

void network_take(const struct plan *plan) {
  struct stat found;
  if (!plan->network.path) return;
  namespace = open(plan->network.path, O_RDONLY | O_CLOEXEC);
  /* The path leads through a process number, which may be another process's by now. */
  if (namespace < 0 || fstat(namespace, &found) || found.st_ino != plan->network.inode) shim_fail("network_gone");
  int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
  if (home < 0 || setns(namespace, CLONE_NEWNET)) shim_fail("network_join");
  counters = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
  if (setns(home, CLONE_NEWNET)) shim_fail("network_join");
  close(home);
  struct traffic traffic;
  if (!network_traffic(&traffic)) shim_fail("network_counters");
}

bool network_enter(void) { return namespace < 0 || !setns(namespace, CLONE_NEWNET); }

/* `share6` of the packets are of IPv6. */
static uint64_t carried(uint64_t bytes, uint64_t packets, double share6) {
  uint64_t headers = (uint64_t)((double)packets * (HEADERS + LONGER_IN_6 * share6)), most = bytes / 100 * HEADERS_PERCENT_MAX;
  return bytes - (headers < most ? headers : most);
}

/* The attribute `type` among those in `from`. */
static struct rtattr *find(struct rtattr *from, int left, int type) {
  for (; RTA_OK(from, left); from = RTA_NEXT(from, left))
    if ((from->rta_type & NLA_TYPE_MASK) == type) return from;
  return NULL;
}

static struct rtattr *find_in(struct rtattr *nest, int type) {
  return nest ? find(RTA_DATA(nest), (int)RTA_PAYLOAD(nest), type) : NULL;
}

bool network_traffic(struct traffic *traffic) {
  static char answer[16384];
  *traffic = (struct traffic){ 0 };
  if (counters < 0) return false;
  struct { struct nlmsghdr head; struct ifinfomsg link; } request = {
    .head = { .nlmsg_len = sizeof request, .nlmsg_type = RTM_GETLINK, .nlmsg_flags = NLM_F_REQUEST },
    .link = { .ifi_index = DEVICE },
  };
  if (send(counters, &request, sizeof request, 0) < 0) return false;
  ssize_t count = recv(counters, answer, sizeof answer, 0);
  const struct nlmsghdr *head = (const struct nlmsghdr *)answer;
  if (count < 0 || !NLMSG_OK(head, (size_t)count) || head->nlmsg_type != RTM_NEWLINK) return false;

  struct rtattr *first = IFLA_RTA(NLMSG_DATA(head));
  struct rtattr *all = find(first, (int)IFLA_PAYLOAD(head), IFLA_STATS64);
  struct rtattr *families = find(first, (int)IFLA_PAYLOAD(head), IFLA_AF_SPEC);
  struct rtattr *ip6 = find_in(find_in(families, AF_INET6), IFLA_INET6_STATS);
  struct rtnl_link_stats64 stats = { 0 };
  struct rtattr *icmp6 = find_in(find_in(families, AF_INET6), IFLA_INET6_ICMP6STATS);
  uint64_t counted6[IP6_COUNTERS] = { 0 }, messages6[ICMP6_COUNTERS] = { 0 };
  if (!all || RTA_PAYLOAD(all) < offsetof(struct rtnl_link_stats64, rx_errors)) return false;
  memcpy(&stats, RTA_DATA(all), RTA_PAYLOAD(all) < sizeof stats ? RTA_PAYLOAD(all) : sizeof stats);
  if (ip6 && RTA_PAYLOAD(ip6) >= sizeof counted6) memcpy(counted6, RTA_DATA(ip6), sizeof counted6);
  if (icmp6 && RTA_PAYLOAD(icmp6) >= sizeof messages6) memcpy(messages6, RTA_DATA(icmp6), sizeof messages6);
  /* A sent packet has answers of its family. */
  double share6 = counted6[IP6_IN] < stats.rx_bytes ? (double)counted6[IP6_IN] / (double)stats.rx_bytes : 0;
  traffic->in = carried(stats.rx_bytes, stats.rx_packets, share6);
  traffic->out = stats.tx_packets > messages6[ICMP6_OUT] ? carried(stats.tx_bytes, stats.tx_packets, share6) : 0;
  return true;
}

static bool wait_for(uint64_t ms) {
  struct itimerspec when = { .it_value = { .tv_nsec = ms * 1000000 } };
  return !timerfd_settime(meter, 0, &when, NULL);
}

int network_meter(void) {
  if (counters < 0) return -1;
  meter = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  if (meter < 0 || !wait_for(SHORTEST_MS)) shim_fail("network_counters");
  return meter;
}

bool network_over_cap(const struct plan *plan) {
  struct traffic traffic;
  if (counters < 0) return false;
  /* A sandbox whose traffic cannot be counted may not go on. */
  if (!network_traffic(&traffic) || traffic.out > plan->network.egress_cap) return true;
  uint64_t left = plan->network.egress_cap - traffic.out;
  if (plan->network.has_ingress_cap) {
    if (traffic.in > plan->network.ingress_cap) return true;
    uint64_t left_in = plan->network.ingress_cap - traffic.in;
    if (left_in < left) left = left_in;
  }
  uint64_t ms = left / FASTEST_BYTES_PER_MS;
  return !wait_for(ms < SHORTEST_MS ? SHORTEST_MS : ms > LONGEST_MS ? LONGEST_MS : ms);
}
