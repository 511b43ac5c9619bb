/*
 * The account of the program, by the image's /etc/passwd. A tenant wrote that file, so only the sandbox itself reads it: process 1,
 * which has the program's rights.
 */
#define _GNU_SOURCE
#include "init/account.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PASSWD_BYTES = 1 << 18, NAME_BYTES = 256 };

/* Only of a plain file: another kind could keep the reader waiting. */
static bool read_passwd(char *text) {
  struct stat kind;
  ssize_t count;
  size_t size = 0;
  int file = open("/etc/passwd", O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return false;
  bool plain = !fstat(file, &kind) && S_ISREG(kind.st_mode);
  while (plain && size < PASSWD_BYTES && (count = read(file, text + size, PASSWD_BYTES - size)) > 0) size += (size_t)count;
  close(file);
  text[size] = 0;
  return plain;
}

static bool is_number(const char *text, unsigned long number) {
  char *end;
  return *text >= '0' && *text <= '9' && strtoul(text, &end, 10) == number && !*end;
}

/* The name and the home of the first entry with the id of the user; empty where there is none. */
static void find_account(const char **name, const char **home) {
  static char text[PASSWD_BYTES + 1];
  enum { NAME, PASSWORD, UID, GID, COMMENT, HOME, FIELDS };
  char *rest = text, *line;
  *name = *home = "";
  if (!read_passwd(text)) return;
  while ((line = strsep(&rest, "\n"))) {
    char *fields[FIELDS] = { 0 };
    for (int at = 0; at < FIELDS && line; at++) fields[at] = strsep(&line, ":");
    if (!fields[HOME] || !is_number(fields[UID], getuid())) continue;
    *name = fields[NAME];
    *home = fields[HOME];
    return;
  }
}

static bool is_folder(const char *path) {
  struct stat found;
  return *path == '/' && strlen(path) < PATH_MAX && !stat(path, &found) && S_ISDIR(found.st_mode);
}

/* An image can have left nothing in a home that is not there, so one that can be written to serves the program better. */
static const char *without_home(void) { return access("/", W_OK) ? "/workspace" : "/"; }

void account_export(void) {
  const char *given = getenv("HOME"), *name, *home;
  if (given && *given) return;
  find_account(&name, &home);
  setenv("HOME", is_folder(home) ? home : without_home(), 1);
  if (!*name || strlen(name) > NAME_BYTES) return;
  setenv("USER", name, 0);
  setenv("LOGNAME", name, 0);
}
