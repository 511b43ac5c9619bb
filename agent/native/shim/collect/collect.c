/*
 * Copies the results of a sandbox from /workspace into the sandbox's folder on the host, once no process of it lives.
 *
 * Everything below /workspace was named and typed by a hostile program. So a child process copies it (outputs.c) that has
 * given up root for the program's own (mapped) user and holds no capability. It looks for results with that user's rights too. The files it writes to were opened before. It
 * reports numbers, a slug, and a path, which the shim copies into its record as hexadecimal digits.
 */
#define _GNU_SOURCE
#include "shim/collect/known.h"
#include "shim/collect/outputs.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LARGE_BYTES = 1 << 22 };

static struct collected outcome;

static int result_file(int dir, const char *name) {
  int file = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) _exit(1);
  return file;
}

/* The last report counts. One write of this size is never divided. */
_Static_assert(sizeof(struct collected) <= 4096, "a report is one write to a pipe");
static void report(int answer) {
  if (write(answer, &outcome, sizeof outcome) != sizeof outcome) _exit(1);
}

/* Costs nothing where nothing was written. */
static bool sync_written(int file) { return lseek(file, 0, SEEK_CUR) <= 0 || !fdatasync(file); }

/* The report of a tree until it is copied. */
static struct collected_tree pending(bool is_wanted) {
  struct collected_tree tree = { .status = TREE_ABSENT };
  if (!is_wanted) return tree;
  tree.status = TREE_REJECTED;
  strcpy(tree.reason, "collection_failed");
  return tree;
}

static uid_t program_user(const struct plan *plan) { return plan->id_base + plan->uid; }
static gid_t program_group(const struct plan *plan) { return plan->id_base + plan->gid; }

struct found {
  bool files[MAX_FILES], tree;
};

/* The collector of a pod has been the program's user from the start, and has no other rights. */
static bool is_root(const struct plan *plan) { return plan->id_base > 0; }

/* Looks with the rights of the program, which chose what the paths lead through, and returns to root. */
static struct found look(const struct plan *plan, int workspace) {
  struct found found = { 0 };
  if (is_root(plan) && (setegid(program_group(plan)) || seteuid(program_user(plan)))) _exit(1);
  for (int i = 0; i < plan->file_count; i++) found.files[i] = outputs_may_exist(workspace, plan->files[i].path);
  found.tree = plan->has_tree && outputs_may_exist(workspace, plan->tree.path);
  if (is_root(plan) && (seteuid(0) || setegid(0))) _exit(1);
  return found;
}

static _Noreturn void child(const struct plan *plan, int dir, int workspace, int answer) {
  int targets[MAX_FILES];
  struct tree_target tree = { .data = -1 };
  int folder = -1;
  char name[32];
  /* 1. Open what will be written, while still allowed to; not for what is absent, because each file costs the disk one. */
  if (is_root(plan) && setgroups(0, NULL)) _exit(1);
  struct found found = look(plan, workspace);
  bool has_tree = found.tree;
  for (int i = 0; i < plan->file_count; i++) {
    snprintf(name, sizeof name, "result.%d", i);
    targets[i] = found.files[i] ? result_file(dir, name) : -1;
  }
  if (has_tree) {
    tree.data = result_file(dir, "tree.data");
    tree.index = fdopen(result_file(dir, "tree.index"), "w");
    if (!tree.index) _exit(1);
  }
  if (plan->has_folder) {
    folder = result_file(dir, "folder.data");
    known_open(dir);
  }
  /* 2. Become the program's user: without root's ids every capability goes too. */
  uid_t user = program_user(plan);
  gid_t group = program_group(plan);
  if (setresgid(group, group, group) || setresuid(user, user, user) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || !shim_ends_caller())
    _exit(1);
  /* 3. Never longer than this, whatever the tree holds. */
  alarm(plan->collect_seconds);
  for (int i = 0; i < plan->file_count; i++) {
    outputs_copy_file(plan, i, workspace, targets[i], &outcome);
    if (outcome.files[i].status == FILE_PRESENT && fdatasync(targets[i])) outcome.files[i].status = FILE_LOST;
  }
  /* Each tree is reported after the results before it, because a program can make it take too long. */
  outcome.tree = pending(has_tree);
  outcome.folder = pending(plan->has_folder);
  report(answer);
  if (has_tree) {
    outputs_copy_tree(&plan->tree, workspace, tree, &outcome.tree);
    if (!sync_written(tree.data) || !sync_written(fileno(tree.index))) _exit(1);
    report(answer);
  }
  if (plan->has_folder) {
    outputs_copy_folder(&plan->folder, workspace, folder, &outcome.folder);
    if (!sync_written(folder)) _exit(1);
  }
  report(answer);
  _exit(0);
}

/*
 * Sandboxes of one owner collect large results one after another, so that an owner with many of them uses no more of the disk
 * than one with a single one. The kernel lets the lock go with the shim. Large results are copied at a lower priority: the copy
 * takes processor time outside of the sandbox's groups, and small runs of others do not wait for it.
 */
static int take_turn(const struct plan *plan, int workspace) {
  struct statvfs disk;
  if (fstatvfs(workspace, &disk) || (uint64_t)(disk.f_blocks - disk.f_bfree) * disk.f_frsize < LARGE_BYTES) return -1;
  shim_lower_priority();
  if (!plan->collect_lock) return -1;
  int lock = open(plan->collect_lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (lock >= 0) flock(lock, LOCK_EX);
  return lock;
}

static void end_texts(struct collected_tree *tree) {
  tree->reason[sizeof tree->reason - 1] = 0;
  tree->path[sizeof tree->path - 1] = 0;
}

static void set_files(const struct plan *plan, enum file_status status, struct collected *result) {
  for (int i = 0; i < plan->file_count; i++) result->files[i].status = status;
}

void collect_results(const struct plan *plan, int dir, int workspace, struct collected *result) {
  int answer[2], status = 0;
  bool has_files = false;
  memset(result, 0, sizeof *result);
  result->tree = result->folder = pending(true);
  set_files(plan, FILE_LOST, result);
  if (pipe2(answer, O_CLOEXEC)) return;
  int turn = take_turn(plan, workspace);
  pid_t pid = fork();
  if (pid == 0) child(plan, dir, workspace, answer[1]);
  close(answer[1]);
  struct collected reported;
  while (pid > 0 && read(answer[0], &reported, sizeof reported) == sizeof reported) *result = reported, has_files = true;
  close(answer[0]);
  if (pid > 0) waitpid(pid, &status, 0);
  if (!has_files && WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) set_files(plan, FILE_LATE, result);
  if (turn >= 0) close(turn);
  end_texts(&result->tree);
  end_texts(&result->folder);
}
