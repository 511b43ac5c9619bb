/*
 * Copies outputs out of a workspace. A hostile program has named and typed everything there, so paths are resolved only with
 * openat2 below an open descriptor: no link is followed, no mount is crossed, nothing is opened that could block.
 */
#define _GNU_SOURCE
#include "shim/collect/outputs.h"

#include "common/sha256.h"
#include "shim/collect/known.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const long long MAX_TIME = (1LL << 33) - 1;
enum { COPY_BYTES = 1 << 18, CHECK_BYTES = 1 << 22, EXTRA_ENTRIES = 20000, PATH_BYTES = 4096 };

static bool is_on_device(int entry, dev_t device) {
  struct stat status;
  return !fstat(entry, &status) && status.st_dev == device;
}

/* Closes the entry unless it is on the device. */
static int kept_on(int entry, dev_t device) {
  if (entry < 0 || is_on_device(entry, device)) return entry;
  close(entry);
  errno = EXDEV;
  return -1;
}

/* A link among the folders of a path is refused as one, not as something that is no folder. */
static int open_folder(int parent, const char *name) {
  struct stat status;
  int folder = openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0 && errno == ENOTDIR) errno = !fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) && S_ISLNK(status.st_mode) ? ELOOP : ENOTDIR;
  return folder;
}

/* The same as openat2 below, where a kernel lacks it, as that of gVisor does: part by part. Nothing changes meanwhile, since nothing of the sandbox runs. */
static int open_by_parts(int root, const char *path, int flags) {
  char part[PATH_BYTES];
  struct stat top;
  int folder = fcntl(root, F_DUPFD_CLOEXEC, 0), entry = -1;
  if (folder < 0 || fstat(root, &top)) return -1;
  for (errno = EXDEV; *path != '/';) {
    size_t length = strcspn(path, "/");
    const char *next = path + length + strspn(path + length, "/");
    bool is_up = length == 2 && path[0] == '.' && path[1] == '.';
    if (is_up || !length || length >= sizeof part) break;
    memcpy(part, path, length);
    part[length] = 0;
    entry = kept_on(*next ? open_folder(folder, part) : openat(folder, part, flags), top.st_dev);
    if (entry < 0 || !*next) break;
    close(folder);
    folder = entry;
    entry = -1;
    path = next;
  }
  int error = errno;
  close(folder);
  errno = error;
  return entry;
}

static int open_below(int root, const char *path, uint64_t flags) {
  struct open_how how = {
    .flags = flags | O_CLOEXEC | O_NOFOLLOW | (flags & O_PATH ? 0 : O_NONBLOCK | O_NOCTTY),
    .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV,
  };
  int entry = (int)syscall(SYS_openat2, root, path, &how, sizeof how);
  return entry < 0 && errno == ENOSYS ? open_by_parts(root, path, (int)how.flags) : entry;
}

bool outputs_may_exist(int workspace, const char *path) {
  int found = open_below(workspace, path, O_PATH);
  bool absent = found < 0 && errno == ENOENT;
  if (found >= 0) close(found);
  return !absent;
}

/* Copies exactly `size` bytes; a file cannot change, since nothing of the sandbox runs any more. */
static bool copy(int from, int to, uint64_t size) {
  static char buffer[COPY_BYTES];
  static uint64_t unchecked;
  while (size) {
    /* Small files count together. */
    if (unchecked == 0 && space_short(to)) return false;
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
    space_flush_slowly(to);
  }
  return true;
}

static enum file_status copy_file(int file, uint64_t max_bytes, int target, uint64_t *size) {
  struct stat status;
  if (fstat(file, &status) || !S_ISREG(status.st_mode) || status.st_nlink != 1) return FILE_NOT_REGULAR;
  *size = (uint64_t)status.st_size;
  if (*size > max_bytes) return FILE_TOO_LARGE;
  return copy(file, target, *size) ? FILE_PRESENT : FILE_LOST;
}

void outputs_copy_file(const struct plan *plan, int number, int workspace, int target, struct collected *result) {
  int file = open_below(workspace, plan->files[number].path, O_RDONLY);
  if (file < 0) {
    result->files[number].status = errno == ENOENT ? FILE_ABSENT : FILE_NOT_REGULAR;
    return;
  }
  result->files[number].status = copy_file(file, plan->files[number].max_bytes, target, &result->files[number].size);
  close(file);
}

static struct {
  const struct tree_plan *plan;
  int root;
  struct tree_target target;
  /* Folders, links and modes are kept too. */
  bool whole;
  uint64_t files, bytes, entries;
  /* Path of the entry that broke a rule. */
  char odd[PATH_BYTES];
} tree;

static const char *walk(const char *path);

static const char *refuse(const char *path, const char *reason) {
  snprintf(tree.odd, sizeof tree.odd, "%s", path);
  return reason;
}

/* A program sets any time; a header of a tar holds these. */
static long long time_of(const struct stat *status) {
  return status->st_mtime < 0 ? 0 : status->st_mtime > MAX_TIME ? MAX_TIME : status->st_mtime;
}

static bool write_header(char kind, const struct stat *status, uint64_t size, const char *path) {
  unsigned mode = status->st_mode & 07777;
  return dprintf(tree.target.data, "%c %o@%lld %llu %s", kind, mode, time_of(status), (unsigned long long)size, path) > 0 &&
         write(tree.target.data, "", 1) == 1;
}

static bool write_index(const char *path, const struct stat *status) {
  if (tree.whole) return write_header('f', status, status->st_size, path);
  fprintf(tree.target.index, "%llu@%lld %s", (unsigned long long)status->st_size, time_of(status), path);
  fputc(0, tree.target.index);
  return true;
}

static bool digest_file(int file, uint64_t size, uint8_t digest[SHA256_BYTES]) {
  static uint8_t buffer[COPY_BYTES];
  struct sha256 hash;
  sha256_start(&hash);
  while (size) {
    ssize_t count = read(file, buffer, size < sizeof buffer ? size : sizeof buffer);
    if (count <= 0) return false;
    sha256_add(&hash, buffer, (size_t)count);
    size -= count;
  }
  sha256_end(&hash, digest);
  return true;
}

/* Writes the bytes of a file, or only its digest if the reader has these bytes. */
static bool write_file(int file, const char *path, const struct stat *status) {
  uint8_t digest[SHA256_BYTES];
  uint64_t size = status->st_size;
  if (tree.whole && known_has_size(size)) {
    if (!digest_file(file, size, digest) || lseek(file, 0, SEEK_SET)) return false;
    if (known_has(size, digest))
      return write_header('k', status, size, path) && write(tree.target.data, digest, sizeof digest) == sizeof digest;
  }
  return write_index(path, status) && copy(file, tree.target.data, size);
}

static const char *visit_file(const char *path, const struct stat *status) {
  if (status->st_nlink != 1 && !tree.whole) return refuse(path, "hard_link");
  if (++tree.files > tree.plan->max_files) return refuse(path, "too_many_files");
  if ((uint64_t)status->st_size > tree.plan->max_bytes - tree.bytes) return refuse(path, "too_large");
  int file = open_below(tree.root, path, O_RDONLY);
  if (file < 0) return refuse(path, "unreadable");
  bool written = write_file(file, path, status);
  close(file);
  if (!written) return "storage";
  tree.bytes += status->st_size;
  return NULL;
}

static const char *visit_link(const char *path, int link, const struct stat *status) {
  char target[PATH_BYTES];
  ssize_t size = readlinkat(link, "", target, sizeof target);
  if (size <= 0) return refuse(path, "unreadable");
  if ((uint64_t)size > tree.plan->max_path) return refuse(path, "link_too_long");
  if (!write_header('l', status, size, path)) return "storage";
  return write(tree.target.data, target, size) == size ? NULL : "storage";
}

static const char *visit_folder(const char *path, const struct stat *status) {
  if (tree.whole && !write_header('d', status, 0, path)) return "storage";
  return walk(path);
}

/* Special files and folders count too, so that a tree of these alone ends. */
static uint64_t entries_max(void) { return tree.plan->max_files + (tree.whole ? 0 : EXTRA_ENTRIES); }

static const char *visit(const char *folder, const char *name) {
  char path[PATH_BYTES];
  struct stat status;
  int size = snprintf(path, sizeof path, "%s%s%s", folder, *folder ? "/" : "", name);
  if (++tree.entries > entries_max()) return refuse(path, "too_many_files");
  if (strlen(name) > tree.plan->max_name) return refuse(path, "name_too_long");
  for (const char *at = name; *at; at++)
    if ((unsigned char)*at < 0x20 || *at == 0x7f) return refuse(path, "control_character");
  if (size >= (int)sizeof path || (uint64_t)size > tree.plan->max_path) return refuse(path, "path_too_long");
  int entry = open_below(tree.root, path, O_PATH);
  if (entry < 0) return refuse(path, errno == ELOOP ? "symlink" : "unreadable");
  int known = fstat(entry, &status);
  const char *reason = NULL;
  bool keeps_link = !known && S_ISLNK(status.st_mode) && tree.whole;
  if (keeps_link) reason = visit_link(path, entry, &status);
  close(entry);
  if (keeps_link) return reason;
  if (known) return refuse(path, "unreadable");
  if (S_ISLNK(status.st_mode)) return refuse(path, "symlink");
  if (S_ISDIR(status.st_mode)) return visit_folder(path, &status);
  if (S_ISREG(status.st_mode)) return visit_file(path, &status);
  return tree.whole ? NULL : refuse(path, "special_file");
}

static int by_name(const void *left, const void *right) { return strcmp(*(char *const *)left, *(char *const *)right); }

/* Reads all names of a folder and closes it before going down, so that depth costs no descriptors. */
static const char *walk(const char *path) {
  int handle = open_below(tree.root, *path ? path : ".", O_RDONLY | O_DIRECTORY);
  DIR *folder = handle < 0 ? NULL : fdopendir(handle);
  if (!folder) return refuse(path, "unreadable");
  char **names = NULL;
  size_t count = 0;
  const char *reason = NULL;
  for (struct dirent *entry; !reason && (entry = readdir(folder));) {
    if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
    if (count % 64 == 0) names = realloc(names, (count + 64) * sizeof *names);
    if (!names) return "unreadable";
    names[count++] = strdup(entry->d_name);
    if (count > entries_max()) reason = refuse(path, "too_many_files");
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

/* The reason why the tree is refused; NULL if it was copied, or there is none. */
static const char *copy_below(int workspace, struct collected_tree *result) {
  const char *reason = "symlink";
  tree.root = open_below(workspace, tree.plan->path, O_RDONLY | O_DIRECTORY);
  result->status = TREE_ABSENT;
  if (tree.root < 0 && errno == ENOENT) return NULL;
  result->status = TREE_COLLECTED;
  if (tree.root >= 0) reason = walk("");
  else if (errno == ENOTDIR) reason = "not_a_folder";
  else if (errno == EACCES) reason = "unreadable";
  if (tree.root >= 0) close(tree.root);
  return reason;
}

static void report_refusal(const char *reason, struct collected_tree *result) {
  result->status = TREE_REJECTED;
  snprintf(result->reason, sizeof result->reason, "%s", reason);
  /* The end of a path names the file. */
  size_t length = strlen(tree.odd);
  strcpy(result->path, tree.odd + (length > ODD_PATH_BYTES ? length - ODD_PATH_BYTES : 0));
}

void outputs_copy_tree(const struct tree_plan *plan, int workspace, struct tree_target target, struct collected_tree *result) {
  memset(&tree, 0, sizeof tree);
  memset(result, 0, sizeof *result);
  tree.plan = plan;
  tree.target = target;
  const char *reason = copy_below(workspace, result);
  if (fflush(target.index)) reason = "storage";
  if (!reason) return;
  report_refusal(reason, result);
  /* The status says it already: what stays in the files is never read. */
  if (ftruncate(target.data, 0) || ftruncate(fileno(target.index), 0)) return;
}

void outputs_copy_folder(const struct tree_plan *plan, int workspace, int target, struct collected_tree *result) {
  memset(&tree, 0, sizeof tree);
  memset(result, 0, sizeof *result);
  tree.plan = plan;
  tree.target.data = target;
  tree.whole = true;
  const char *reason = copy_below(workspace, result);
  if (!reason) return;
  report_refusal(reason, result);
  if (ftruncate(target, 0)) return;
}
