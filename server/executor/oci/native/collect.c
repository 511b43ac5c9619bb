/*
 * Copies what a sandbox left in /workspace into the sandbox's folder on the host, once no process of it lives.
 *
 * Everything below /workspace was named and typed by a hostile program. So a child does the work that has given
 * up root for the program's own (mapped) user, holds no capability, and resolves paths only with openat2 below
 * an open descriptor: no link is followed, no mount is crossed, nothing is opened that could block. The files it
 * writes to were opened by the shim. It can say only numbers and a slug.
 */
#define _GNU_SOURCE
#include "shim.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COLLECT_SECONDS = 120, LARGE_BYTES = 1 << 22, COPY_BYTES = 1 << 18, CHECK_BYTES = 1 << 22, EXTRA_ENTRIES = 20000, PATH_BYTES = 4096 };

static const struct plan *the_plan;
static struct collected outcome;
static int tree_root = -1, tree_data = -1;
static FILE *tree_index;
static uint64_t tree_files, tree_bytes, tree_entries;

static int open_below(int root, const char *path, uint64_t flags) {
  struct open_how how = {
    .flags = flags | O_CLOEXEC | O_NOFOLLOW | (flags & O_PATH ? 0 : O_NONBLOCK | O_NOCTTY),
    .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV,
  };
  return syscall(SYS_openat2, root, path, &how, sizeof how);
}

/* Copies exactly `size` bytes; a file cannot change, since nothing of the sandbox runs any more. */
static bool copy(int from, int to, uint64_t size) {
  static char buffer[COPY_BYTES];
  static uint64_t unchecked;
  while (size) {
    /* Small files count together. */
    if (unchecked == 0 && space_low(to)) return false;
    ssize_t count = read(from, buffer, size < sizeof buffer ? size : sizeof buffer);
    if (count <= 0) return false;
    for (ssize_t done = 0; done < count;) {
      ssize_t written = write(to, buffer + done, count - done);
      if (written <= 0) return false;
      done += written;
    }
    size -= count;
    unchecked += count;
    if (unchecked < CHECK_BYTES) continue;
    unchecked = 0;
    write_out_slowly(to);
  }
  return true;
}

static void collect_file(int index, int workspace, int target) {
  struct stat status;
  outcome.files[index].status = FILE_NOT_REGULAR;
  int file = open_below(workspace, the_plan->files[index].path, O_RDONLY);
  if (file < 0) {
    if (errno == ENOENT) outcome.files[index].status = FILE_ABSENT;
    return;
  }
  if (fstat(file, &status) || !S_ISREG(status.st_mode) || status.st_nlink != 1) return;
  outcome.files[index].size = status.st_size;
  if ((uint64_t)status.st_size > the_plan->files[index].max_bytes) outcome.files[index].status = FILE_TOO_LARGE;
  else outcome.files[index].status = copy(file, target, status.st_size) ? FILE_PRESENT : FILE_LOST;
  close(file);
}

static const char *walk(const char *path);

static const char *visit_file(const char *path, const struct stat *status) {
  if (status->st_nlink != 1) return "hard_link";
  if (++tree_files > the_plan->tree.max_files) return "too_many_files";
  if ((uint64_t)status->st_size > the_plan->tree.max_bytes - tree_bytes) return "too_large";
  int file = open_below(tree_root, path, O_RDONLY);
  if (file < 0) return "unreadable";
  bool copied = copy(file, tree_data, status->st_size);
  close(file);
  if (!copied) return "storage";
  tree_bytes += status->st_size;
  fprintf(tree_index, "%llu %s", (unsigned long long)status->st_size, path);
  fputc(0, tree_index);
  return NULL;
}

static const char *visit(const char *folder, const char *name) {
  char path[PATH_BYTES];
  struct stat status;
  if (++tree_entries > the_plan->tree.max_files + EXTRA_ENTRIES) return "too_many_files";
  if (strlen(name) > the_plan->tree.max_name) return "name_too_long";
  for (const char *at = name; *at; at++)
    if ((unsigned char)*at < 0x20 || *at == 0x7f) return "control_character";
  int size = snprintf(path, sizeof path, "%s%s%s", folder, *folder ? "/" : "", name);
  if (size >= (int)sizeof path || (uint64_t)size > the_plan->tree.max_path) return "path_too_long";
  int entry = open_below(tree_root, path, O_PATH);
  if (entry < 0) return errno == ELOOP ? "symlink" : "unreadable";
  int known = fstat(entry, &status);
  close(entry);
  if (known) return "unreadable";
  if (S_ISLNK(status.st_mode)) return "symlink";
  if (S_ISDIR(status.st_mode)) return walk(path);
  if (!S_ISREG(status.st_mode)) return "special_file";
  return visit_file(path, &status);
}

static int by_name(const void *left, const void *right) { return strcmp(*(char *const *)left, *(char *const *)right); }

/* Reads all names of a folder and closes it before going down, so that depth costs no descriptors. */
static const char *walk(const char *path) {
  int handle = open_below(tree_root, *path ? path : ".", O_RDONLY | O_DIRECTORY);
  DIR *folder = handle < 0 ? NULL : fdopendir(handle);
  if (!folder) return "unreadable";
  char **names = NULL;
  size_t count = 0;
  const char *reason = NULL;
  for (struct dirent *entry; !reason && (entry = readdir(folder));) {
    if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
    if (count % 64 == 0) names = realloc(names, (count + 64) * sizeof *names);
    if (!names) return "unreadable";
    names[count++] = strdup(entry->d_name);
    if (count > the_plan->tree.max_files + EXTRA_ENTRIES) reason = "too_many_files";
  }
  closedir(folder);
  if (!reason && count) qsort(names, count, sizeof *names, by_name);
  for (size_t i = 0; i < count; i++) {
    if (!reason) reason = visit(path, names[i]);
    free(names[i]);
  }
  free(names);
  return reason;
}

static void collect_tree(int workspace) {
  const char *reason = "symlink";
  tree_root = open_below(workspace, the_plan->tree.path, O_RDONLY | O_DIRECTORY);
  if (tree_root < 0 && errno == ENOENT) return;
  if (tree_root >= 0) reason = walk("");
  else if (errno == ENOTDIR) reason = "not_a_folder";
  else if (errno == EACCES) reason = "unreadable";
  if (fflush(tree_index)) reason = "storage";
  outcome.tree_status = reason ? TREE_REJECTED : TREE_COLLECTED;
  if (!reason) return;
  snprintf(outcome.tree_reason, sizeof outcome.tree_reason, "%s", reason);
  if (ftruncate(tree_data, 0) || ftruncate(fileno(tree_index), 0)) outcome.tree_status = TREE_REJECTED;
}

static int result_file(int dir, const char *name) {
  int file = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) _exit(1);
  return file;
}

/* The latest that is told counts. */
static void tell(int answer) {
  if (write(answer, &outcome, sizeof outcome) != sizeof outcome) _exit(1);
}

static _Noreturn void child(const struct plan *plan, int dir, int workspace, int answer) {
  int targets[MAX_FILES];
  char name[32];
  the_plan = plan;
  /* 1. Open what will be written, while still allowed to. */
  for (int i = 0; i < plan->file_count; i++) {
    snprintf(name, sizeof name, "result.%d", i);
    targets[i] = result_file(dir, name);
  }
  if (plan->has_tree) {
    tree_data = result_file(dir, "tree.data");
    tree_index = fdopen(result_file(dir, "tree.index"), "w");
    if (!tree_index) _exit(1);
  }
  /* 2. Become the program's user: without root's ids every capability goes too. */
  if (setgroups(0, NULL) || setresgid(plan->id_base + plan->gid, plan->id_base + plan->gid, plan->id_base + plan->gid) ||
      setresuid(plan->id_base + plan->uid, plan->id_base + plan->uid, plan->id_base + plan->uid) ||
      prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    _exit(1);
  /* 3. Never longer than this, whatever the tree looks like. */
  alarm(COLLECT_SECONDS);
  for (int i = 0; i < plan->file_count; i++) {
    collect_file(i, workspace, targets[i]);
    if (outcome.files[i].status == FILE_PRESENT && fdatasync(targets[i])) outcome.files[i].status = FILE_LOST;
  }
  /* Told before the tree, which may be made to take too long. */
  outcome.tree_status = plan->has_tree ? TREE_REJECTED : TREE_ABSENT;
  strcpy(outcome.tree_reason, "collection_failed");
  tell(answer);
  outcome.tree_status = TREE_ABSENT;
  outcome.tree_reason[0] = 0;
  if (plan->has_tree) collect_tree(workspace);
  if (tree_bytes && fdatasync(tree_data)) _exit(1);
  if (tree_files && fdatasync(fileno(tree_index))) _exit(1);
  tell(answer);
  _exit(0);
}

/*
 * Sandboxes of one owner collect large results one after another, so that an owner with many of them uses no more of the disk
 * than one with a single one. The kernel lets the lock go with the shim.
 */
static int take_turn(const struct plan *plan, int workspace) {
  struct statvfs disk;
  if (!plan->collect_lock || fstatvfs(workspace, &disk)) return -1;
  if ((uint64_t)(disk.f_blocks - disk.f_bfree) * disk.f_frsize < LARGE_BYTES) return -1;
  int lock = open(plan->collect_lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (lock >= 0) flock(lock, LOCK_EX);
  return lock;
}

void collect(const struct plan *plan, int dir, int workspace, struct collected *result) {
  int answer[2], status;
  memset(result, 0, sizeof *result);
  result->tree_status = TREE_REJECTED;
  strcpy(result->tree_reason, "collection_failed");
  for (int i = 0; i < plan->file_count; i++) result->files[i].status = FILE_LOST;
  if (pipe2(answer, O_CLOEXEC)) return;
  int turn = take_turn(plan, workspace);
  pid_t pid = fork();
  if (pid == 0) child(plan, dir, workspace, answer[1]);
  close(answer[1]);
  struct collected told;
  while (pid > 0 && read(answer[0], &told, sizeof told) == sizeof told) *result = told;
  close(answer[0]);
  if (pid > 0) waitpid(pid, &status, 0);
  if (turn >= 0) close(turn);
  result->tree_reason[sizeof result->tree_reason - 1] = 0;
}
