/*
 * Prints every mark that a process of this machine makes: one line "<mark>" each time a process renames itself to
 * "b:...", "e:..." or "z:...". ledger.ts explains why this detects every job.
 *
 *   usage: ledger            lines on standard output; "listening" is the first
 *
 * A line "missed" means that the kernel dropped an event, or that a sequence number is missing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_CPUS = 4096, BUFFER_BYTES = 256 << 20, READ_BYTES = 1 << 16 };

static void die(const char *what) {
  fprintf(stderr, "ledger: %s: %s\n", what, strerror(errno));
  exit(1);
}

static int subscribe(void) {
  int sock = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_CONNECTOR);
  if (sock < 0) die("no netlink connector (CONFIG_PROC_EVENTS, the first network namespace)");
  int bytes = BUFFER_BYTES;
  if (setsockopt(sock, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes)) die("receive buffer");
  struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC };
  if (bind(sock, (struct sockaddr *)&address, sizeof address)) die("bind (needs root)");
  struct {
    struct nlmsghdr header;
    struct cn_msg message;
    enum proc_cn_mcast_op op;
  } __attribute__((packed)) ask = {
    .header = { .nlmsg_len = sizeof ask, .nlmsg_type = NLMSG_DONE },
    .message = { .id = { CN_IDX_PROC, CN_VAL_PROC }, .len = sizeof ask.op },
    .op = PROC_CN_MCAST_LISTEN,
  };
  if (send(sock, &ask, sizeof ask, 0) != sizeof ask) die("subscribe");
  return sock;
}

/* The kernel numbers the events of each processor: a missing number is a dropped event. */
static void check_number(uint32_t cpu, uint32_t number) {
  static uint32_t next[MAX_CPUS];
  static bool known[MAX_CPUS];
  if (cpu >= MAX_CPUS) return;
  if (known[cpu] && number != next[cpu]) puts("missed");
  known[cpu] = true;
  next[cpu] = number + 1;
}

static void note(const struct cn_msg *message) {
  const struct proc_event *event = (const void *)message->data;
  if (event->what == PROC_EVENT_NONE) {
    puts("listening");
    return;
  }
  check_number(event->cpu, message->seq);
  if (event->what != PROC_EVENT_COMM) return;
  char name[sizeof event->event_data.comm.comm + 1] = "";
  memcpy(name, event->event_data.comm.comm, sizeof event->event_data.comm.comm);
  if (strchr("bez", name[0]) && name[0] && name[1] == ':') puts(name);
}

int main(void) {
  static char buffer[READ_BYTES] __attribute__((aligned(NLMSG_ALIGNTO)));
  prctl(PR_SET_PDEATHSIG, 9);
  int sock = subscribe();
  for (;;) {
    ssize_t count = recv(sock, buffer, sizeof buffer, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno != ENOBUFS) die("recv");
    if (count < 0) puts("missed");
    for (struct nlmsghdr *header = (void *)buffer; NLMSG_OK(header, count); header = NLMSG_NEXT(header, count))
      if (header->nlmsg_type == NLMSG_DONE) note(NLMSG_DATA(header));
    fflush(stdout);
  }
}
