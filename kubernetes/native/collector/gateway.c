#define _GNU_SOURCE
#include "collector/collector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "common/host-ids.h"

enum { REDEEM_MS = 120000, TOKEN_BYTES = 6144, SECRET_BYTES = 32 };

struct errand gateway_uploads;
char gateway_credential[2 * SECRET_BYTES + 1];

struct request gateway_request(const char *method, const char *path) {
  struct request request = { .method = method, .bearer = gateway_credential };
  snprintf(request.path, sizeof request.path, "%s", path);
  return request;
}

/* Sends a small body with the token of the pod. */
static int ask(const char *path, const char *key, const char *value) {
  static char token[TOKEN_BYTES], body[256];
  if (!read_small("/token/token", token, sizeof token)) _exit(1);
  token[strcspn(token, "\r\n")] = 0;
  struct request request = gateway_request("POST", path);
  request.bearer = token;
  request.bytes = body;
  request.byte_count = (size_t)snprintf(body, sizeof body, "{\"%s\":\"%s\"}", key, value);
  errand_begin(&gateway_uploads, &request);
  return errand_finish(&gateway_uploads, clock_ms(CLOCK_MONOTONIC) + REDEEM_MS);
}

_Noreturn void gateway_refuse(const char *slug) {
  int status = ask("refused", "slug", slug);
  _exit(status == 200 || status == 409 ? 0 : 1);
}

void gateway_redeem(void) {
  uint8_t secret[SECRET_BYTES];
  if (getrandom(secret, sizeof secret, 0) != sizeof secret) _exit(1);
  for (size_t i = 0; i < sizeof secret; i++) sprintf(gateway_credential + 2 * i, "%02x", secret[i]);
  explicit_bzero(secret, sizeof secret);
  int status = ask("redeem", "credential", gateway_credential);
  /* It was started already, or is not wanted any more. */
  if (status == 409) _exit(0);
  if (status != 200) _exit(1);
}
