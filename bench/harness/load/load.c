/*
 * Keeps a number of HTTP/1.1 connections busy for a time, each with one active request, and times the responses. It
 * is small and has no runtime, so that on a machine with few processors the time goes to the server.
 *
 *   load PORT CONNECTIONS MILLISECONDS REQUESTS
 *
 * REQUESTS is a file of whole requests, each after a line with its length. Connection number n sends the requests n,
 * n + CONNECTIONS and so on, repeatedly. A sequence of 16 '#' in a request is replaced by a number that is unique
 * across all instances of this program. Responses must have a Content-Length. The program prints one line:
 *   <responses> <nanoseconds> <median ns> <99th percentile ns> <responses that were not 2xx> <status of one of these>
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#define MARK "################"

struct request {
  char *text;
  size_t length;
  char *mark;
};

struct connection {
  int socket;
  size_t next;
  long long sent_ns;
  size_t received;
  char answer[65536];
};

static struct request *requests;
static size_t request_count;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static long long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static void read_requests(const char *path) {
  FILE *file = fopen(path, "r");
  size_t length;
  if (!file) fail(path);
  while (fscanf(file, "%zu", &length) == 1) {
    requests = realloc(requests, (request_count + 1) * sizeof *requests);
    char *text = calloc(1, length + 1);
    if (!requests || !text || fgetc(file) != '\n' || fread(text, 1, length, file) != length) fail(path);
    requests[request_count++] = (struct request){text, length, strstr(text, MARK)};
  }
  fclose(file);
}

static void send_next(struct connection *connection, size_t step) {
  /* Starts at the time in nanoseconds: a later instance starts higher, since none sends a request each nanosecond. */
  static unsigned long long number;
  if (!number) number = now_ns();
  struct request *request = &requests[connection->next];
  connection->next = (connection->next + step) % request_count;
  if (request->mark) {
    char text[sizeof MARK];
    snprintf(text, sizeof text, "%016llx", number++);
    memcpy(request->mark, text, sizeof MARK - 1);
  }
  connection->received = 0;
  connection->sent_ns = now_ns();
  if (write(connection->socket, request->text, request->length) != (ssize_t)request->length) fail("write");
}

/* The status of the response once it is complete, else 0. */
static int answered(struct connection *connection) {
  ssize_t got = read(connection->socket, connection->answer + connection->received,
                     sizeof connection->answer - 1 - connection->received);
  if (got <= 0) fail("the server closed a connection");
  connection->received += got;
  connection->answer[connection->received] = 0;
  char *end = strstr(connection->answer, "\r\n\r\n");
  if (!end) return 0;
  char *length = strcasestr(connection->answer, "\r\ncontent-length:");
  if (!length || length > end) {
    fprintf(stderr, "a response has no Content-Length\n");
    exit(1);
  }
  size_t whole = (end + 4 - connection->answer) + strtoul(length + 17, NULL, 10);
  return connection->received < whole ? 0 : atoi(connection->answer + 9);
}

static int by_value(const void *a, const void *b) {
  long long difference = *(const long long *)a - *(const long long *)b;
  return difference < 0 ? -1 : difference > 0;
}

int main(int count, char **arguments) {
  if (count != 5) return 2;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(arguments[1]))};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  size_t connection_count = strtoul(arguments[2], NULL, 10);
  read_requests(arguments[4]);
  if (request_count < connection_count) return 2;
  struct connection *connections = calloc(connection_count, sizeof *connections);
  size_t room = 1 << 20, answers = 0, refused = 0;
  long long *taken_ns = malloc(room * sizeof *taken_ns);
  int poll = epoll_create1(0), one = 1, odd_status = 0;
  if (!connections || !taken_ns || poll < 0) fail("no memory");
  for (size_t n = 0; n < connection_count; n++) {
    struct connection *connection = &connections[n];
    connection->socket = socket(AF_INET, SOCK_STREAM, 0);
    connection->next = n;
    if (connect(connection->socket, (struct sockaddr *)&address, sizeof address)) fail("connect");
    setsockopt(connection->socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
    if (epoll_ctl(poll, EPOLL_CTL_ADD, connection->socket, &event)) fail("epoll_ctl");
  }
  long long started = now_ns(), until = started + strtoll(arguments[3], NULL, 10) * 1000000, now = started;
  size_t waiting = connection_count;
  for (size_t n = 0; n < connection_count; n++) send_next(&connections[n], connection_count);
  while (waiting > 0) {
    struct epoll_event events[64];
    int ready = epoll_wait(poll, events, 64, 30000);
    if (ready == 0) {
      fprintf(stderr, "no response within 30 seconds\n");
      return 1;
    }
    for (int at = 0; at < ready; at++) {
      struct connection *connection = events[at].data.ptr;
      int status = answered(connection);
      if (!status) continue;
      now = now_ns();
      if (answers == room) {
        room *= 2;
        taken_ns = realloc(taken_ns, room * sizeof *taken_ns);
        if (!taken_ns) fail("no memory");
      }
      taken_ns[answers++] = now - connection->sent_ns;
      if (status < 200 || status > 299) {
        refused++;
        odd_status = status;
      }
      if (now < until) send_next(connection, connection_count);
      else waiting--;
    }
  }
  qsort(taken_ns, answers, sizeof *taken_ns, by_value);
  printf("%zu %lld %lld %lld %zu %d\n", answers, now - started, taken_ns[answers / 2], taken_ns[answers * 99 / 100],
         refused, odd_status);
  return 0;
}
