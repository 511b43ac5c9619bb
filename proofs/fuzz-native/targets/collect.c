/*
 * Creates a workspace that the input describes, and collects from it. The input is records of four bytes: the kind, the
 * index of its name, the index of a link's target, and a size.
 */
#define _GNU_SOURCE
#include "shim/collect/known.h"
#include "shim/collect/outputs.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RECORD = 4, MAX_RECORDS = 256, NAMES = 24, MAX_TREE_FILES = 40, MAX_TREE_BYTES = 1 << 18, MAX_FILE_BYTES = 1 << 16 };
enum { MAKE_FOLDER, MAKE_FILE, MAKE_SYMLINK, MAKE_HARD_LINK, MAKE_FIFO, MAKE_SPARSE, MAKE_CLOSED, KINDS };

/* Names below the workspace: names in the plan, deeper ones, odd ones, and ones that lead outside. */
static const char *const names[NAMES] = {
  "out", "out/a", "out/a/b", "out/a/b/c", "out/z", "out/a.json", "out/\x01", "out/\xff\xfe", "out/a b", "out/-rf", "result.json",
  "folder", "folder/result.json", "other", "other/x", "/etc/passwd", "../secret", "out/../other", ".", "out/.hidden", "out/a\nb",
  "out/\x7f", "out/nameoftwohundred", "out/a/b/c/d/e/f/g",
};

static struct plan plan = {
  .files = { { MAX_FILE_BYTES, "result.json" }, { MAX_FILE_BYTES, "folder/result.json" }, { 16, "out/a.json" } },
  .file_count = 3,
  .has_tree = true,
  .tree = { .max_files = MAX_TREE_FILES, .max_bytes = MAX_TREE_BYTES, .max_path = 24, .max_name = 12, .path = "out" },
};
static int workspace, files[3], data;
static FILE *index_file;

bool space_short(int file) {
  (void)file;
  return false;
}

void space_flush_slowly(int file) { (void)file; }

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *at) {
  (void)status, (void)type;
  return at->level ? remove(path) : 0;
}

/* The reader of the folder has the contents of some files: these sizes of `text` in make(). */
static void write_known(void) {
  static const uint8_t text[256] = "content";
  static const uint8_t sizes[] = { 3, 17, 200 };
  int folder = open("..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int file = openat(folder, "folder.known", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  for (size_t i = 0; i < sizeof sizes; i++) {
    uint8_t record[8 + SHA256_BYTES] = { [7] = sizes[i] };
    struct sha256 hash;
    sha256_start(&hash);
    sha256_add(&hash, text, sizes[i]);
    sha256_end(&hash, record + 8);
    if (write(file, record, sizeof record) != sizeof record) abort();
  }
  close(file);
  known_open(folder);
  close(folder);
}

static void prepare(void) {
  static char folder[] = "collect-XXXXXX";
  if (workspace) return;
  if (!mkdtemp(folder) || chdir(folder) || mkdir("workspace", 0755)) abort();
  int secret = open("secret", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (write(secret, "SECRET", 6) != 6) abort();
  close(secret);
  for (int i = 0; i < 3; i++) files[i] = memfd_create("file", MFD_CLOEXEC);
  data = memfd_create("data", MFD_CLOEXEC);
  index_file = fdopen(memfd_create("index", MFD_CLOEXEC), "w+");
  if (chdir("workspace")) abort();
  workspace = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  write_known();
}

static void make(const uint8_t *record) {
  const char *name = names[record[1] % NAMES], *other = names[record[2] % NAMES];
  /* As for a program in a sandbox, no name is above the workspace. */
  if (record[0] % KINDS != MAKE_SYMLINK && (name[0] == '/' || name[0] == '.')) return;
  int file = -1;
  switch (record[0] % KINDS) {
  case MAKE_FOLDER: mkdir(name, 0755); break;
  case MAKE_FILE: file = open(name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644); break;
  case MAKE_SYMLINK:
    if (name[0] != '/' && name[0] != '.') (void)!symlink(other, name);
    break;
  case MAKE_HARD_LINK:
    if (other[0] != '/' && other[0] != '.') (void)!linkat(AT_FDCWD, other, AT_FDCWD, name, 0);
    break;
  case MAKE_FIFO: mkfifo(name, 0644); break;
  case MAKE_SPARSE:
    file = open(name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
    if (file >= 0) (void)!ftruncate(file, (off_t)record[3] << 40);
    close(file);
    return;
  case MAKE_CLOSED: mkdir(name, 0); break;
  }
  static const char text[256] = "content";
  for (int i = 0; file >= 0 && i < 1 + record[3] % 4; i++) (void)!write(file, text, record[3]);
  if (file >= 0) close(file);
}

static void empty(int file) {
  if (ftruncate(file, 0) || lseek(file, 0, SEEK_SET)) abort();
}

/* Collected data is complete, within the bounds, and never from outside the workspace. */
static void check(const struct collected *result) {
  static char text[MAX_TREE_BYTES + 1];
  struct stat status;
  for (int i = 0; i < plan.file_count; i++) {
    bool present = result->files[i].status == FILE_PRESENT;
    if (fstat(files[i], &status) || (present && (uint64_t)status.st_size != result->files[i].size)) abort();
    if ((uint64_t)status.st_size > plan.files[i].max_bytes) abort();
    ssize_t count = pread(files[i], text, MAX_TREE_BYTES, 0);
    if (count < 0 || memmem(text, (size_t)count, "SECRET", 6)) abort();
  }
  ssize_t count = pread(data, text, MAX_TREE_BYTES + 1, 0);
  if (count < 0 || count > MAX_TREE_BYTES || memmem(text, (size_t)count, "SECRET", 6)) abort();
  if (result->tree.status != TREE_COLLECTED && count) abort();
  uint64_t all = 0, files_in_tree = 0;
  rewind(index_file);
  char path[256];
  for (unsigned long long size; fscanf(index_file, "%llu", &size) == 1; all += size, files_in_tree++) {
    size_t length = 0;
    for (int byte; (byte = fgetc(index_file)) > 0 && length < sizeof path; length++)
      if (length && (byte < 0x20 || byte == 0x7f)) abort();
    if (length - 1 > plan.tree.max_path) abort();
  }
  if (all != (uint64_t)count || files_in_tree > plan.tree.max_files) abort();
}

/* The same of a folder that is kept whole: what its headers say is what follows them. */
static void check_folder(const struct collected_tree *result) {
  static char text[MAX_TREE_BYTES + MAX_TREE_FILES * 64];
  ssize_t count = pread(data, text, sizeof text, 0);
  if (count < 0 || count == sizeof text || memmem(text, (size_t)count, "SECRET", 6)) abort();
  if (result->status != TREE_COLLECTED && count) abort();
  uint64_t all = 0, entries = 0;
  for (const char *at = text, *end = text + count; at < end; entries++) {
    char kind;
    unsigned mode;
    long long time;
    unsigned long long size;
    int path = 0;
    const char *zero = memchr(at, 0, end - at);
    if (!zero || sscanf(at, "%c %o@%lld %llu %n", &kind, &mode, &time, &size, &path) != 4 || time < 0 || !strchr("dfkl", kind) || mode > 07777) abort();
    unsigned long long content = kind == 'k' ? SHA256_BYTES : size;
    if ((uint64_t)(zero - at) - (uint64_t)path > plan.tree.max_path || content > (uint64_t)(end - zero - 1)) abort();
    if (kind == 'k' && !known_has(size, (const uint8_t *)zero + 1)) abort();
    if ((kind == 'd' && size) || (kind == 'l' && size > plan.tree.max_path)) abort();
    if (kind == 'f' || kind == 'k') all += size;
    at = zero + 1 + content;
  }
  if (all > plan.tree.max_bytes || entries > plan.tree.max_files) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static struct collected result;
  prepare();
  for (size_t at = 0; at + RECORD <= size && at < MAX_RECORDS * RECORD; at += RECORD) make(bytes + at);
  memset(&result, 0, sizeof result);
  for (int i = 0; i < 3; i++) outputs_copy_file(&plan, i, workspace, files[i], &result);
  outputs_copy_tree(&plan.tree, workspace, (struct tree_target){ .data = data, .index = index_file }, &result.tree);
  check(&result);
  empty(data);
  outputs_copy_folder(&plan.tree, workspace, data, &result.folder);
  check_folder(&result.folder);
  for (int i = 0; i < 3; i++) empty(files[i]);
  empty(data);
  rewind(index_file);
  empty(fileno(index_file));
  if (nftw(".", remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT)) abort();
  return 0;
}
