/*
 * For tests: asks the resolver at 198.18.0.1 for names.
 *
 *   questions ask COUNT NAME          one after another, each from a new port; prints how many were answered, how many
 *                                     of these within 100 ms, the slowest in milliseconds, and how many were refused
 *   questions flood SECONDS NAME      as fast as it can, each name with a number of its own, answers unread
 *   questions noise SECONDS           datagrams that are no questions, as fast as it can
 *   questions streams SECONDS COUNT   keeps so many connections open and asks nothing
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_S = 5, SOON_MS = 100, TYPE_A = 1, MAX_STREAMS = 64 };

static const struct sockaddr_in resolver = { .sin_family = AF_INET, .sin_port = 0x3500, .sin_addr = { 0x010012c6 } };

static double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000.0 + now.tv_nsec / 1e6;
}

/* `number` becomes a label before the name; below 0 there is none. */
static size_t write_question(unsigned char *message, int number, const char *name) {
  char text[256];
  memset(message, 0, 12);
  message[0] = rand(), message[1] = rand(), message[2] = 1, message[5] = 1;
  if (number < 0) snprintf(text, sizeof text, "%s", name);
  else snprintf(text, sizeof text, "n%d.%s", number, name);
  unsigned char *at = message + 12;
  for (char *label = strtok(text, "."); label; label = strtok(NULL, ".")) {
    *at++ = strlen(label);
    memcpy(at, label, strlen(label));
    at += strlen(label);
  }
  memcpy(at, "\0\0\1\0\1", 5);
  return at + 5 - message;
}

static int new_socket(int type) {
  int made = socket(AF_INET, type, 0);
  if (made < 0 || connect(made, (const struct sockaddr *)&resolver, sizeof resolver)) exit(1);
  return made;
}

static void ask(int count, const char *name) {
  int answered = 0, soon = 0, refused = 0;
  double slowest = 0;
  for (int i = 0; i < count; i++) {
    unsigned char message[512], answer[512];
    struct timeval timeout = { WAIT_S, 0 };
    int udp = new_socket(SOCK_DGRAM);
    setsockopt(udp, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    size_t size = write_question(message, -1, name);
    double started = now_ms();
    send(udp, message, size, 0);
    ssize_t got = recv(udp, answer, sizeof answer, 0);
    double took = now_ms() - started;
    close(udp);
    if (got < 12 || memcmp(answer, message, 2)) continue;
    if (answer[3] & 15) refused++;
    if (answer[3] & 15 || !answer[7]) continue;
    answered++;
    if (took <= SOON_MS) soon++;
    if (took > slowest) slowest = took;
  }
  printf("answered %d soon %d slowest %.1f refused %d\n", answered, soon, slowest, refused);
}

static void flood(double seconds, const char *name) {
  unsigned char message[512];
  double end = now_ms() + seconds * 1000;
  long sent = 0;
  int udp = new_socket(SOCK_DGRAM);
  memset(message, 0, sizeof message);
  for (int i = 0; now_ms() < end; i++) {
    size_t size = name ? write_question(message, i, name) : 40;
    if (send(udp, message, size, 0) > 0) sent++;
  }
  printf("sent %ld\n", sent);
}

static void hold_streams(double seconds, int count) {
  for (int i = 0; i < count && i < MAX_STREAMS; i++) new_socket(SOCK_STREAM);
  puts("open");
  fflush(stdout);
  usleep(seconds * 1e6);
}

int main(int count, char **words) {
  if (count < 3) return 2;
  srand(getpid() + time(NULL));
  if (!strcmp(words[1], "ask") && count == 4) ask(atoi(words[2]), words[3]);
  else if (!strcmp(words[1], "flood") && count == 4) flood(atof(words[2]), words[3]);
  else if (!strcmp(words[1], "noise")) flood(atof(words[2]), NULL);
  else if (!strcmp(words[1], "streams") && count == 4) hold_streams(atof(words[2]), atoi(words[3]));
  else return 2;
  return 0;
}
