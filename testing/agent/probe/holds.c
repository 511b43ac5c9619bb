/*
 * Locks, leases and watches on a file that others read too. `holds hold KIND PATH` takes one, prints "held" or "refused", and
 * keeps it until its input ends; then it prints "heard" if it was notified of anything, otherwise "ended". `holds meet KIND
 * PATH` does what the holder would block or observe, and prints "met" or "free". Linked statically, and run inside sandboxes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/xattr.h>
#include <unistd.h>

static volatile sig_atomic_t events;
static void counted(int signal) { (void)signal; events++; }

static int file;
static const char *path;

static int lock(int command, int type) {
  struct flock lock = { .l_type = type, .l_whence = SEEK_SET };
  return fcntl(file, command, &lock);
}
/* True if another lock prevents a lock on the whole file. */
static int locked(int command) {
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
  return !fcntl(file, command, &lock) && lock.l_type != F_UNLCK;
}
/* The program gets SIGIO for a lease that is to end too. */
static int hold_write_lease(void) { return fcntl(file, F_SETLEASE, F_WRLCK); }
static int hold_read_lease(void) { return fcntl(file, F_SETLEASE, F_RDLCK); }
static int hold_flock(void) { return flock(file, LOCK_EX | LOCK_NB); }
static int hold_record_lock(void) { return lock(F_SETLK, F_RDLCK); }
static int hold_open_lock(void) { return lock(F_OFD_SETLK, F_RDLCK); }
static int hold_notify(void) {
  char folder[256];
  snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
  return fcntl(open(folder, O_RDONLY | O_DIRECTORY), F_NOTIFY, DN_ACCESS | DN_MODIFY | DN_CREATE | DN_ATTRIB | DN_MULTISHOT);
}
static int hold_inotify(void) { return inotify_add_watch(inotify_init1(0), path, IN_ALL_EVENTS); }
static int hold_fanotify(void) {
  return fanotify_mark(fanotify_init(FAN_CLASS_NOTIF | FAN_REPORT_FID, 0), FAN_MARK_ADD, FAN_OPEN, AT_FDCWD, path);
}
static int hold_pages(void) {
  void *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
  return page == MAP_FAILED ? -1 : mlock(page, 4096);
}
static int hold_locked_map(void) { return mmap(NULL, 4096, PROT_READ, MAP_SHARED | MAP_LOCKED, file, 0) == MAP_FAILED ? -1 : 0; }
static int hold_attribute(void) { return setxattr(path, "user.held", "x", 1, 0); }
static int hold_hint(void) {
  uint64_t hint = RWH_WRITE_LIFE_EXTREME;
  return fcntl(file, F_SET_RW_HINT, &hint);
}

static int meet_open(void) { return open(path, O_RDONLY | O_NONBLOCK) < 0 && errno == EWOULDBLOCK; }
static int meet_write(void) { return open(path, O_WRONLY | O_NONBLOCK) < 0 && errno == EWOULDBLOCK; }
static int meet_flock(void) { return flock(file, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK; }
static int meet_record_lock(void) { return locked(F_GETLK); }
static int meet_open_lock(void) { return locked(F_OFD_GETLK); }
static int meet_read(void) {
  char byte;
  return read(file, &byte, 1) < 0;
}
static int meet_attribute(void) { return getxattr(path, "user.held", NULL, 0) >= 0; }
static int meet_hint(void) {
  uint64_t hint = 0;
  return !fcntl(file, F_GET_RW_HINT, &hint) && hint == RWH_WRITE_LIFE_EXTREME;
}

static const struct { const char *kind; int (*hold)(void); int (*meet)(void); } kinds[] = {
  { "write-lease", hold_write_lease, meet_open },
  { "read-lease", hold_read_lease, meet_write },
  { "flock", hold_flock, meet_flock },
  { "record-lock", hold_record_lock, meet_record_lock },
  { "open-file-lock", hold_open_lock, meet_open_lock },
  { "notify", hold_notify, meet_read },
  { "inotify", hold_inotify, meet_read },
  { "fanotify", hold_fanotify, meet_read },
  { "locked-pages", hold_pages, meet_read },
  { "locked-map", hold_locked_map, meet_read },
  { "attribute", hold_attribute, meet_attribute },
  { "write-hint", hold_hint, meet_hint },
};

int main(int count, char **words) {
  if (count != 4) return 2;
  path = words[3];
  signal(SIGIO, counted);
  file = open(path, O_RDONLY | O_NONBLOCK);
  for (size_t at = 0; at < sizeof kinds / sizeof *kinds; at++) {
    if (strcmp(words[2], kinds[at].kind)) continue;
    if (!strcmp(words[1], "meet"))
      return printf("%s %s %s\n", words[2], path, file < 0 || kinds[at].meet() ? "met" : "free") < 0;
    int held = file >= 0 && kinds[at].hold() >= 0;
    printf("%s %s %s\n", words[2], path, held ? "held" : "refused");
    fflush(stdout);
    char byte;
    ssize_t got;
    while ((got = read(0, &byte, 1)) > 0 || (got < 0 && errno == EINTR)) continue;
    return printf("%s %s %s\n", words[2], path, events ? "heard" : "ended") < 0;
  }
  return 2;
}
