/*
 * The traffic of a pod, from the counters of its devices. The measure is what programs sent and received, as on a host (shim/confine/network.c): the
 * headers of full packets are taken off, and the collector's own exchange with the gateway.
 */
#define _GNU_SOURCE
#include "collector/collector.h"

#include <stdio.h>
#include <string.h>

#include "common/host-ids.h"

enum { TEXT_BYTES = 8192, HEADERS = 14 + 20 + 32, HEADERS_PERCENT_MAX = 6 };

struct counters { uint64_t in, in_packets, out, out_packets; };

static struct counters before;
static struct exchanged own_before;
static bool is_metered;

/* The sum over all devices but the loopback. */
static bool read_counters(struct counters *sum) {
  char text[TEXT_BYTES];
  *sum = (struct counters){ 0 };
  if (!read_small("/proc/net/dev", text, sizeof text)) return false;
  char *rest = text, *line;
  while ((line = strsep(&rest, "\n"))) {
    struct counters one;
    char *colon = strchr(line, ':');
    if (!colon) continue;
    *colon = 0;
    if (!strcmp(line + strspn(line, " "), "lo")) continue;
    if (sscanf(colon + 1, "%lu %lu %*u %*u %*u %*u %*u %*u %lu %lu", &one.in, &one.in_packets, &one.out, &one.out_packets) != 4) return false;
    sum->in += one.in;
    sum->in_packets += one.in_packets;
    sum->out += one.out;
    sum->out_packets += one.out_packets;
  }
  return true;
}

void meter_start(void) {
  if (!shim_plan.network.path) return;
  if (!read_counters(&before)) shim_fail("network_counters");
  own_before = exchange_traffic();
  is_metered = true;
}

static uint64_t carried(uint64_t bytes, uint64_t packets, uint64_t own) {
  uint64_t headers = packets * HEADERS, most = bytes / 100 * HEADERS_PERCENT_MAX;
  bytes -= headers < most ? headers : most;
  return bytes > own ? bytes - own : 0;
}

bool network_traffic(struct traffic *traffic) {
  struct counters now;
  struct exchanged own = exchange_traffic();
  *traffic = (struct traffic){ 0 };
  if (!is_metered || !read_counters(&now)) return false;
  traffic->in = carried(now.in - before.in, now.in_packets - before.in_packets, own.in - own_before.in);
  traffic->out = carried(now.out - before.out, now.out_packets - before.out_packets, own.out - own_before.out);
  return true;
}

bool network_over_cap(const struct plan *plan) {
  struct traffic traffic;
  if (!is_metered) return false;
  /* A sandbox whose traffic cannot be counted may not go on. */
  if (!network_traffic(&traffic) || traffic.out > plan->network.egress_cap) return true;
  return plan->network.has_ingress_cap && traffic.in > plan->network.ingress_cap;
}
