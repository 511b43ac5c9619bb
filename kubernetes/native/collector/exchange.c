#define _GNU_SOURCE
#include "collector/exchange.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"

/* A long poll has an answer after twenty seconds. */
enum { PATIENCE_MS = 30000 };

static struct target gateway;
static mbedtls_ssl_config config;
static mbedtls_x509_crt authority;
static const char *own_id;
static struct exchanged exchanged;

static int random_bytes(void *unused, unsigned char *to, size_t size) {
  (void)unused;
  for (size_t have = 0; have < size;) {
    ssize_t count = getrandom(to + have, size - have, 0);
    if (count > 0) have += (size_t)count;
    else if (errno != EINTR) return -1;
  }
  return 0;
}

bool exchange_prepare(const struct target *to, const char *pem, const char *id) {
  gateway = *to;
  own_id = id;
  mbedtls_x509_crt_init(&authority);
  mbedtls_ssl_config_init(&config);
  if (mbedtls_x509_crt_parse(&authority, (const unsigned char *)pem, strlen(pem) + 1)) return false;
  if (mbedtls_ssl_config_defaults(&config, MBEDTLS_SSL_IS_CLIENT, MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT)) return false;
  mbedtls_ssl_conf_min_version(&config, MBEDTLS_SSL_MAJOR_VERSION_3, MBEDTLS_SSL_MINOR_VERSION_3);
  mbedtls_ssl_conf_authmode(&config, MBEDTLS_SSL_VERIFY_REQUIRED);
  mbedtls_ssl_conf_ca_chain(&config, &authority, NULL);
  mbedtls_ssl_conf_rng(&config, random_bytes, NULL);
  return true;
}

struct exchanged exchange_traffic(void) { return exchanged; }

static int send_some(void *context, const unsigned char *bytes, size_t size) {
  ssize_t count = send(((struct exchange *)context)->socket, bytes, size, MSG_NOSIGNAL);
  if (count < 0) return errno == EAGAIN || errno == EINTR ? MBEDTLS_ERR_SSL_WANT_WRITE : MBEDTLS_ERR_SSL_INTERNAL_ERROR;
  exchanged.out += (uint64_t)count;
  return (int)count;
}

static int receive_some(void *context, unsigned char *bytes, size_t size) {
  ssize_t count = recv(((struct exchange *)context)->socket, bytes, size, 0);
  if (count < 0) return errno == EAGAIN || errno == EINTR ? MBEDTLS_ERR_SSL_WANT_READ : MBEDTLS_ERR_SSL_INTERNAL_ERROR;
  exchanged.in += (uint64_t)count;
  return (int)count;
}

void exchange_close(struct exchange *exchange) {
  if (exchange->state == EXCHANGE_CLOSED) return;
  if (exchange->socket >= 0) close(exchange->socket);
  mbedtls_ssl_free(&exchange->tls);
  exchange->state = EXCHANGE_CLOSED;
}

static void fail(struct exchange *exchange) {
  exchange_close(exchange);
  exchange->status = 0;
  exchange->state = EXCHANGE_BROKEN;
  exchange->socket = -1;
  mbedtls_ssl_init(&exchange->tls);
}

static void connect_new(struct exchange *exchange) {
  mbedtls_ssl_init(&exchange->tls);
  exchange->state = EXCHANGE_CONNECTING;
  exchange->socket = socket(gateway.address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  bool is_ready = exchange->socket >= 0 && !mbedtls_ssl_setup(&exchange->tls, &config) && !mbedtls_ssl_set_hostname(&exchange->tls, "sandbox-gateway");
  if (!is_ready) return fail(exchange);
  mbedtls_ssl_set_bio(&exchange->tls, exchange, send_some, receive_some, NULL);
  /* Under gVisor a connect may be interrupted and goes on. */
  if (connect(exchange->socket, (const struct sockaddr *)&gateway.address, gateway.size) && errno != EINPROGRESS && errno != EINTR) fail(exchange);
}

void exchange_begin(struct exchange *exchange, const struct request *request) {
  bool is_kept = exchange->state == EXCHANGE_IDLE;
  if (!is_kept) exchange_close(exchange);
  exchange->request = request;
  exchange->events = POLLOUT;
  exchange->until_ms = clock_ms(CLOCK_MONOTONIC) + PATIENCE_MS;
  exchange->out_bytes = exchange->out_sent = exchange->answer_bytes = exchange->body_from = 0;
  exchange->head_made = false;
  exchange->part = 0;
  exchange->part_sent = 0;
  exchange->status = 0;
  if (is_kept) exchange->state = EXCHANGE_SENDING;
  else connect_new(exchange);
}

static uint64_t body_size(const struct request *request) {
  uint64_t size = request->byte_count;
  for (int i = 0; i < request->part_count; i++) size += request->parts[i].size;
  return size;
}

/* Puts the next bytes of the request into `out`. False at its end. */
static bool refill(struct exchange *exchange) {
  const struct request *request = exchange->request;
  exchange->out_sent = exchange->out_bytes = 0;
  if (!exchange->head_made) {
    int size = snprintf(exchange->out, sizeof exchange->out, "%s /runner/v1/%s/%s HTTP/1.1\r\nHost: sandbox-gateway\r\nAuthorization: Bearer %s\r\nContent-Length: %llu\r\n\r\n",
                        request->method, own_id, request->path, request->bearer, (unsigned long long)body_size(request));
    exchange->out_bytes = (size_t)size;
    exchange->head_made = true;
    return size > 0 && (size_t)size < sizeof exchange->out;
  }
  if (request->bytes && exchange->part_sent < request->byte_count) {
    size_t left = request->byte_count - (size_t)exchange->part_sent;
    exchange->out_bytes = left < sizeof exchange->out ? left : sizeof exchange->out;
    memcpy(exchange->out, request->bytes + exchange->part_sent, exchange->out_bytes);
    exchange->part_sent += exchange->out_bytes;
    return true;
  }
  while (!request->bytes && exchange->part < request->part_count) {
    const struct part *part = &request->parts[exchange->part];
    uint64_t left = part->size - exchange->part_sent;
    ssize_t count = pread(part->file, exchange->out, left < sizeof exchange->out ? left : sizeof exchange->out, (off_t)(part->from + exchange->part_sent));
    if (left && count <= 0) {
      fail(exchange);
      return false;
    }
    exchange->part_sent += (uint64_t)count;
    if (exchange->part_sent == part->size) {
      exchange->part++;
      exchange->part_sent = 0;
    }
    if (!count) continue;
    exchange->out_bytes = (size_t)count;
    return true;
  }
  return false;
}

/* The value of a header, or NULL. */
static const char *header(const char *head, const char *name) {
  for (const char *line = head; (line = strstr(line, "\r\n")); ) {
    line += 2;
    if (strncasecmp(line, name, strlen(name))) continue;
    for (line += strlen(name); *line == ' '; line++) continue;
    return line;
  }
  return NULL;
}

/* False while the answer is not whole, or its form is wrong, which breaks the exchange. */
static bool is_whole(struct exchange *exchange) {
  exchange->answer[exchange->answer_bytes] = 0;
  if (!exchange->body_from) {
    char *end = memmem(exchange->answer, exchange->answer_bytes, "\r\n\r\n", 4);
    if (!end) return false;
    end[2] = 0;
    const char *length = header(exchange->answer, "content-length:");
    bool is_chunked = header(exchange->answer, "transfer-encoding:") != NULL;
    exchange->body_from = (size_t)(end + 4 - exchange->answer);
    bool streams = exchange->request->streams && !strncmp(exchange->answer, "HTTP/1.1 200 ", 13);
    if (sscanf(exchange->answer, "HTTP/1.1 %3d ", &exchange->status) != 1 || is_chunked || (!length && !streams)) {
      fail(exchange);
      return false;
    }
    if (streams) return true;
    unsigned long long size = isdigit((unsigned char)*length) ? strtoull(length, NULL, 10) : ANSWER_BYTES;
    if (size > ANSWER_BYTES - exchange->body_from) {
      fail(exchange);
      return false;
    }
    exchange->body_bytes = (size_t)size;
  }
  return exchange->answer_bytes - exchange->body_from >= exchange->body_bytes;
}

/* Whether it goes on at once; otherwise `events` says what it waits for. */
static bool goes_on(struct exchange *exchange, int result) {
  if (result > 0) return true;
  if (result == MBEDTLS_ERR_SSL_WANT_READ) exchange->events = POLLIN;
  else if (result == MBEDTLS_ERR_SSL_WANT_WRITE) exchange->events = POLLOUT;
  else fail(exchange);
  return false;
}

static bool connect_more(struct exchange *exchange) {
  int error = 0;
  socklen_t size = sizeof error;
  struct pollfd ready = { .fd = exchange->socket, .events = POLLOUT };
  if (poll(&ready, 1, 0) != 1) return false;
  if (getsockopt(exchange->socket, SOL_SOCKET, SO_ERROR, &error, &size) || error) fail(exchange);
  else exchange->state = EXCHANGE_SECURING;
  return exchange->state == EXCHANGE_SECURING;
}

static bool secure_more(struct exchange *exchange) {
  int result = mbedtls_ssl_handshake(&exchange->tls);
  if (!result) exchange->state = EXCHANGE_SENDING;
  return !result || goes_on(exchange, result);
}

static bool send_more(struct exchange *exchange) {
  if (exchange->out_sent == exchange->out_bytes && !refill(exchange)) {
    if (exchange->state == EXCHANGE_SENDING) exchange->state = EXCHANGE_READING;
    return exchange->state == EXCHANGE_READING;
  }
  int sent = mbedtls_ssl_write(&exchange->tls, (const unsigned char *)exchange->out + exchange->out_sent, exchange->out_bytes - exchange->out_sent);
  if (sent > 0) exchange->out_sent += (size_t)sent;
  return goes_on(exchange, sent);
}

static bool read_more(struct exchange *exchange) {
  size_t room = ANSWER_BYTES - exchange->answer_bytes;
  if (!room) {
    fail(exchange);
    return false;
  }
  int count = mbedtls_ssl_read(&exchange->tls, (unsigned char *)exchange->answer + exchange->answer_bytes, room);
  if (count <= 0) {
    if (!count) fail(exchange);
    else goes_on(exchange, count);
    return false;
  }
  exchange->answer_bytes += (size_t)count;
  if (is_whole(exchange)) exchange->state = EXCHANGE_DONE;
  return exchange->state == EXCHANGE_READING;
}

void exchange_step(struct exchange *exchange) {
  uint64_t now = clock_ms(CLOCK_MONOTONIC);
  for (bool more = true; more;) {
    enum exchange_state before = exchange->state;
    size_t sent = exchange->out_sent, answer = exchange->answer_bytes;
    switch (exchange->state) {
    case EXCHANGE_CONNECTING: more = connect_more(exchange); break;
    case EXCHANGE_SECURING: more = secure_more(exchange); break;
    case EXCHANGE_SENDING: more = send_more(exchange); break;
    case EXCHANGE_READING: more = read_more(exchange); break;
    default: return;
    }
    bool moved = exchange->state != before || exchange->out_sent != sent || exchange->answer_bytes != answer;
    if (moved) exchange->until_ms = now + PATIENCE_MS;
  }
  if (exchange->state != EXCHANGE_DONE && exchange->state != EXCHANGE_BROKEN && now > exchange->until_ms) fail(exchange);
}

bool exchange_has_more(const struct exchange *exchange) {
  return exchange->answer_bytes > exchange->body_from || mbedtls_ssl_check_pending(&exchange->tls);
}

ssize_t exchange_read(struct exchange *exchange, char *to, size_t size) {
  size_t left = exchange->answer_bytes - exchange->body_from;
  if (left) {
    if (left < size) size = left;
    memcpy(to, exchange->answer + exchange->body_from, size);
    exchange->body_from += size;
    return (ssize_t)size;
  }
  int count = mbedtls_ssl_read(&exchange->tls, (unsigned char *)to, size);
  if (count > 0) return count;
  return count == MBEDTLS_ERR_SSL_WANT_READ || count == MBEDTLS_ERR_SSL_WANT_WRITE ? 0 : -1;
}
