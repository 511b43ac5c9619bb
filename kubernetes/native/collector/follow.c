/*
 * Serves the job while it runs: passes its input on, takes its log, watches deadline and traffic, and takes orders of the gateway. Process 1
 * of the job is trusted no more than its program: it sends messages of eight bytes, and a log.
 */
#define _GNU_SOURCE
#include "collector/collector.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The time for uploads after the end of a program, as long as the credential is valid; and that in which killed processes end. */
enum { UPLOAD_MS = 120000, KILL_MS = 30000, FRAME_BYTES = 1 << 16, METER_MS = 100, WINDOW_BYTES = 1 << 18, DRAIN_MS = 2000 };

uint64_t follow_until_ms;

static struct {
  char bytes[FRAME_BYTES];
  size_t from, to, header_bytes;
  uint8_t header[4];
  uint32_t frame_left;
  bool complete;
} pending;

/* When something is due; 0: never. */
static uint64_t deadline_ms, kill_ms, give_up_ms, meter_ms;
static bool all_ended, started_is_due;
static struct errand orders;
static uint64_t stop_order, follow_order, log_sent;

static uint64_t now_ms(void) { return clock_ms(CLOCK_MONOTONIC); }

static void close_end(int *end) {
  if (*end >= 0) close(*end);
  *end = -1;
}

static void request_of_peer(char request) {
  if (peer.control >= 0 && send(peer.control, &request, 1, MSG_NOSIGNAL) != 1) close_end(&peer.control);
}

static void kill_job(enum end end) {
  if (shim_job.reported) return;
  if (shim_job.end == END_SELF) shim_job.end = end;
  request_of_peer('K');
  kill_ms = 0;
  if (!give_up_ms) give_up_ms = now_ms() + KILL_MS;
}

static void ask_to_end(enum end end) {
  if (shim_job.reported || shim_job.end != END_SELF) return;
  if (!shim_job.started || !shim_plan.grace_ms) {
    kill_job(end);
    return;
  }
  shim_job.end = end;
  request_of_peer('T');
  kill_ms = now_ms() + shim_plan.grace_ms;
}

static void take_message(const uint32_t message[2]) {
  switch (message[0]) {
  case 'P': shim_job.about_to_start = true; break;
  case 'R':
    if (!shim_job.started) started_is_due = true;
    shim_job.started = true;
    break;
  case 'F':
    if (shim_job.started) break;
    shim_job.failed_to_start = true;
    shim_job.start_error = message[1];
    all_ended = true;
    break;
  case 'M': shim_job.shared_memory_full = true; break;
  case 'X':
    if (!shim_job.started || shim_job.end != END_SELF || shim_job.reported) break;
    shim_job.reported = true;
    shim_job.program_status = message[1];
    break;
  case 'E': all_ended = true; break;
  }
}

/* One message or a part of one, so that messages without end delay nothing else. */
static void read_control(void) {
  static uint8_t bytes[8];
  static size_t have;
  ssize_t count = read(peer.control, bytes + have, sizeof bytes - have);
  if (count > 0) have += (size_t)count;
  else if (!count || (errno != EAGAIN && errno != EINTR)) close_end(&peer.control);
  if (have < sizeof bytes) return;
  uint32_t message[2];
  memcpy(message, bytes, sizeof message);
  have = 0;
  take_message(message);
}

/* False at the end of the log. */
static bool read_log(void) {
  static char buffer[LOG_CHUNK_BYTES];
  ssize_t count = read(peer.log, buffer, sizeof buffer);
  if (count > 0) mask_append(buffer, (size_t)count);
  return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

/* Takes the next bytes of the stream for the program. False where there are none now. */
static bool fill_input(struct exchange *input) {
  bool in_frame = pending.frame_left > 0;
  char *to = in_frame ? pending.bytes : (char *)pending.header + pending.header_bytes;
  size_t size = in_frame ? (pending.frame_left < FRAME_BYTES ? pending.frame_left : FRAME_BYTES) : sizeof pending.header - pending.header_bytes;
  ssize_t count = exchange_read(input, to, size);
  if (count < 0) {
    exchange_close(input);
    kill_job(END_INPUT_CUT);
  }
  if (count <= 0) return false;
  if (in_frame) {
    pending.frame_left -= (uint32_t)count;
    pending.from = 0;
    /* Process 1 is gone, which the other connections show. */
    pending.to = peer.input < 0 ? 0 : (size_t)count;
    return true;
  }
  pending.header_bytes += (size_t)count;
  if (pending.header_bytes < sizeof pending.header) return true;
  memcpy(&pending.frame_left, pending.header, sizeof pending.frame_left);
  pending.frame_left = le32toh(pending.frame_left);
  pending.header_bytes = 0;
  if (pending.frame_left) return true;
  pending.complete = true;
  exchange_close(input);
  close_end(&peer.input);
  return false;
}

static void pass_input(struct exchange *input) {
  for (;;) {
    if (pending.from < pending.to) {
      ssize_t count = send(peer.input, pending.bytes + pending.from, pending.to - pending.from, MSG_NOSIGNAL);
      if (count > 0) pending.from += (size_t)count;
      else if (errno == EAGAIN || errno == EINTR) return;
      else {
        close_end(&peer.input);
        pending.from = pending.to = 0;
      }
    } else if (input->state == EXCHANGE_CLOSED || !fill_input(input)) return;
  }
}

static void take_orders(const struct errand *answered) {
  stop_order = errand_number(answered, "\"stop\":", stop_order);
  uint64_t follow = errand_number(answered, "\"follow\":", follow_order), from = errand_number(answered, "\"from\":", 0);
  if (follow && !follow_order) log_sent = from;
  follow_order = follow;
  if (stop_order == 1) ask_to_end(END_STOPPED);
  else if (stop_order > 1) kill_job(END_STOPPED);
}

static void begin_orders(void) {
  struct request request = gateway_request("GET", "");
  snprintf(request.path, sizeof request.path, "control?stop=%llu&follow=%llu", (unsigned long long)stop_order, (unsigned long long)follow_order);
  errand_begin(&orders, &request);
}

/* The next upload, if one is due. */
static void begin_upload(void) {
  if (gateway_uploads.busy) return;
  if (started_is_due) {
    struct request started = gateway_request("POST", "started");
    started_is_due = false;
    errand_begin(&gateway_uploads, &started);
  } else if (follow_order && log_total() > log_sent) {
    uint64_t total = log_total(), from = total - log_sent > WINDOW_BYTES ? total - WINDOW_BYTES : log_sent;
    struct request window = gateway_request("PUT", "");
    snprintf(window.path, sizeof window.path, "log?from=%llu", (unsigned long long)from);
    results_log(from, total, &window);
    log_sent = total;
    errand_begin(&gateway_uploads, &window);
  }
}

/* Any other answer than 200 says that the run is over for the gateway. */
static void step_errands(void) {
  if (errand_step(&gateway_uploads)) {
    bool was_started = !strcmp(gateway_uploads.request.path, "started");
    if (gateway_uploads.exchange.status != 200) kill_job(END_STOPPED);
    else if (was_started) begin_orders();
    else take_orders(&gateway_uploads);
  }
  if (errand_step(&orders)) {
    if (orders.exchange.status == 200) {
      take_orders(&orders);
      begin_orders();
    } else kill_job(END_STOPPED);
  }
  begin_upload();
}

static void check_times(void) {
  uint64_t now = now_ms();
  if (deadline_ms && now >= deadline_ms) {
    deadline_ms = 0;
    ask_to_end(END_DEADLINE);
  }
  if (kill_ms && now >= kill_ms) kill_job(shim_job.end);
  if (meter_ms && now >= meter_ms) {
    meter_ms = now + METER_MS;
    if (network_over_cap(&shim_plan)) {
      meter_ms = 0;
      kill_job(END_EGRESS_CAP);
    }
  }
}

static void earlier(uint64_t *until, uint64_t time) {
  if (time && time < *until) *until = time;
}

/* Waits until something is to be done. */
static void wait_for_events(struct exchange *input) {
  enum { CONTROL, LOG, INPUT_IN, INPUT_OUT, UPLOADS, ORDERS, COUNT };
  bool has_input = pending.from < pending.to, reads_input = input->state != EXCHANGE_CLOSED && !has_input;
  uint64_t now = now_ms(), until = now + UPLOAD_MS;
  struct pollfd waits[COUNT] = {
    [CONTROL] = { .fd = peer.control, .events = POLLIN },
    [LOG] = { .fd = peer.log, .events = POLLIN },
    [INPUT_IN] = { .fd = reads_input ? input->socket : -1, .events = POLLIN },
    [INPUT_OUT] = { .fd = has_input ? peer.input : -1, .events = POLLOUT },
    [UPLOADS] = errand_watch(&gateway_uploads, &until),
    [ORDERS] = errand_watch(&orders, &until),
  };
  uint64_t times[] = { deadline_ms, kill_ms, give_up_ms, meter_ms };
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) earlier(&until, times[i]);
  if (reads_input && exchange_has_more(input)) until = now;
  poll(waits, COUNT, until > now ? (int)(until - now) : 0);
  if (waits[CONTROL].revents) read_control();
  if (waits[LOG].revents && !read_log()) close_end(&peer.log);
}

/* Whether the container of the job has ended, as the cluster knows it: its connections close before its last process is gone. */
static bool cluster_says_ended(void) {
  struct request job = gateway_request("GET", "job");
  struct timespec pause = { .tv_sec = 1 };
  exchange_close(&gateway_uploads.exchange);
  uint64_t until = now_ms() + KILL_MS < follow_until_ms ? now_ms() + KILL_MS : follow_until_ms;
  while (now_ms() < until) {
    errand_begin(&gateway_uploads, &job);
    if (errand_finish(&gateway_uploads, until) != 200) return false;
    if (errand_number(&gateway_uploads, "\"terminated\":", 0)) return true;
    nanosleep(&pause, NULL);
  }
  return false;
}

bool follow_job(struct exchange *input) {
  uint64_t now = now_ms();
  deadline_ms = now + start_timeout_ms;
  follow_until_ms = deadline_ms + shim_plan.grace_ms + UPLOAD_MS;
  meter_ms = shim_plan.network.path ? now : 0;
  shim_job.released_ms = clock_ms(CLOCK_REALTIME);
  while (!all_ended && peer.control >= 0 && !(give_up_ms && now_ms() >= give_up_ms)) {
    wait_for_events(input);
    pass_input(input);
    step_errands();
    check_times();
  }
  exchange_close(input);
  exchange_close(&orders.exchange);
  /* Process 1 has sent the whole log before its last message. */
  for (uint64_t until = now_ms() + DRAIN_MS; peer.log >= 0 && now_ms() < until;) {
    struct pollfd wait = { .fd = peer.log, .events = POLLIN };
    if (poll(&wait, 1, DRAIN_MS) == 1 && !read_log()) close_end(&peer.log);
  }
  mask_flush();
  /* The program may have killed process 1, or memory ran out. */
  if (shim_job.about_to_start && !shim_job.failed_to_start) shim_job.started = true;
  /* An upload that is not finished is a window of the log, which follows as a whole, or the report of the start. */
  if (started_is_due || gateway_uploads.busy) errand_finish(&gateway_uploads, now_ms() + DRAIN_MS);
  return all_ended || cluster_says_ended();
}
