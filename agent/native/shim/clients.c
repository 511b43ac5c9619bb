/*
 * Clients that get state changes and may stop the sandbox: the agent that started the shim, over descriptor 1, and whoever
 * connects to `ctl` in the sandbox's folder. Only root can reach it.
 */
#define _GNU_SOURCE
#include "shim/shim.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { COMMAND_BYTES = 16 };

static int listener = -1, clients[MAX_CLIENTS], client_count;
static const char *state_line = "starting\n";

void clients_notify(const char *line) {
  state_line = line;
  if (write(1, line, strlen(line)) < 0) { /* the agent is gone: it will connect to ctl */ }
  for (int i = 0; i < client_count; i++) send(clients[i], line, strlen(line), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void clients_listen(void) {
  struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "ctl" };
  listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, MAX_CLIENTS))
    shim_fail("control_socket");
  /* The agent starts another shim if it gets no state. */
  clients_notify(state_line);
}

static void accept_client(void) {
  int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (client < 0) return;
  if (client_count == MAX_CLIENTS) {
    close(client);
    return;
  }
  clients[client_count++] = client;
  send(client, state_line, strlen(state_line), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void read_command(int index) {
  char text[COMMAND_BYTES + 1];
  ssize_t count = recv(clients[index], text, COMMAND_BYTES, MSG_DONTWAIT);
  if (count > 0) {
    text[count] = 0;
    if (strstr(text, "stop")) shim_end(END_STOPPED);
    else if (strstr(text, "soft")) shim_ask_to_end(END_STOPPED);
  } else if (count == 0 || errno != EAGAIN) {
    close(clients[index]);
    clients[index] = clients[--client_count];
  }
}

int clients_watch(struct pollfd *waits) {
  waits[0] = (struct pollfd){ .fd = listener, .events = POLLIN };
  for (int i = 0; i < client_count; i++) waits[i + 1] = (struct pollfd){ .fd = clients[i], .events = POLLIN };
  return client_count + 1;
}

void clients_serve(const struct pollfd *waits, int count) {
  for (int i = count - 2; i >= 0; i--)
    if (waits[i + 1].revents) read_command(i);
  if (waits[0].revents) accept_client();
}
