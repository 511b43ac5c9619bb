/*
 * datagram TEXT PORT FROM|- ADDRESS...: sends the text to each address by UDP. For tests: the shell in sandboxes has
 * no command for it.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

union address {
  struct sockaddr any;
  struct sockaddr_in ip4;
  struct sockaddr_in6 ip6;
};

static union address parse(const char *text, int port) {
  union address address = { .ip6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) } };
  if (inet_pton(AF_INET6, text, &address.ip6.sin6_addr) == 1) return address;
  address.ip4 = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(port) };
  inet_aton(text, &address.ip4.sin_addr);
  return address;
}

int main(int count, char **words) {
  for (int i = 4; i < count; i++) {
    union address to = parse(words[i], atoi(words[2])), from = parse(words[3], 0);
    int udp = socket(to.any.sa_family, SOCK_DGRAM, 0);
    if (words[3][0] != '-' && bind(udp, &from.any, sizeof from.ip4)) return 1;
    sendto(udp, words[1], strlen(words[1]), 0, &to.any, sizeof to);
  }
  return 0;
}
