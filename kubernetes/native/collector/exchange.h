/*
 * Requests to the gateway: HTTP/1.1 over TLS, one at a time on one connection, which is kept for the next. Nothing here waits: a caller
 * polls for what an exchange waits for, and then lets it go on.
 */
#ifndef COLLECTOR_EXCHANGE_H
#define COLLECTOR_EXCHANGE_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mbedtls/ssl.h>

#include "common/reach.h"

enum { ANSWER_BYTES = 8192, CHUNK_BYTES = 1 << 14, PARTS_MAX = 3, PATH_MAX_BYTES = 128 };

/* A part of a body that is in a file. */
struct part {
  int file;
  uint64_t from, size;
};

struct request {
  const char *method;
  /* Below the id of the pod. */
  char path[PATH_MAX_BYTES];
  const char *bearer;
  /* The body: these bytes, or parts of files. */
  const char *bytes;
  size_t byte_count;
  struct part parts[PARTS_MAX];
  int part_count;
  /* The answer is a stream without a length: exchange_read() reads it. */
  bool streams;
};

enum exchange_state { EXCHANGE_CLOSED, EXCHANGE_IDLE, EXCHANGE_CONNECTING, EXCHANGE_SECURING, EXCHANGE_SENDING, EXCHANGE_READING, EXCHANGE_DONE, EXCHANGE_BROKEN };

struct exchange {
  enum exchange_state state;
  int socket;
  mbedtls_ssl_context tls;
  const struct request *request;
  /* The events that it waits for, and until when. */
  short events;
  uint64_t until_ms;
  char out[CHUNK_BYTES];
  size_t out_bytes, out_sent;
  bool head_made;
  int part;
  uint64_t part_sent;
  char answer[ANSWER_BYTES + 1];
  size_t answer_bytes, body_from, body_bytes;
  int status;
};

/* The gateway that all exchanges reach; `authority` is a certificate in PEM that has to prove it. False: it is none. */
bool exchange_prepare(const struct target *gateway, const char *authority, const char *id);

/* Begins a request, on the connection that is left from the one before if there is one. */
void exchange_begin(struct exchange *exchange, const struct request *request);

/* Goes on until it has to wait, is done, or is broken. */
void exchange_step(struct exchange *exchange);

void exchange_close(struct exchange *exchange);

/* Bytes of a stream: how many, 0 for none now, -1 for its end. */
ssize_t exchange_read(struct exchange *exchange, char *to, size_t size);

/* True if exchange_read() has bytes that no poll shows. */
bool exchange_has_more(const struct exchange *exchange);

/* Bytes that all exchanges have sent and received. */
struct exchanged { uint64_t in, out; };
struct exchanged exchange_traffic(void);

#endif
