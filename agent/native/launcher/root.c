/*
 * The file systems of the sandbox. The root is the overlay that the shim mounted; everything else is mounted in it, by descriptors: a
 * place is opened below the new root without following a link, and the mount is attached to that descriptor. So neither a
 * link of an image nor a path outside is ever followed. A place that is missing is made only in /dev, which is a file system of
 * the launcher's own; anywhere else the platform layer has it, or the start fails.
 */
#define _GNU_SOURCE
#include "launcher/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The new root. */
static int root = -1;

/* Every path of a description is absolute and means the sandbox's. */
static const char *below_root(const char *path) { return path[0] == '/' && path[1] ? path + 1 : NULL; }

/* -1 if there is no such file. */
static int open_below(const char *path, uint64_t flags) {
  struct open_how how = { .flags = flags | O_CLOEXEC, .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS };
  if (!below_root(path)) {
    errno = EINVAL;
    return -1;
  }
  return (int)syscall(SYS_openat2, root, below_root(path), &how, sizeof how);
}

/* The folder of a place in /dev, whose last name is given back. */
static int parent_in_dev(const char *path, const char **name) {
  char parent[64];
  const char *last = strrchr(path, '/');
  if (strncmp(path, "/dev/", 5) || snprintf(parent, sizeof parent, "%.*s", (int)(last - path), path) >= (int)sizeof parent) {
    errno = EINVAL;
    return -1;
  }
  *name = last + 1;
  return open_below(parent, O_PATH | O_DIRECTORY);
}

/* Makes the place in /dev if it is missing. */
static int open_place(const char *path, mode_t kind) {
  const char *name;
  int place = open_below(path, O_PATH);
  if (place >= 0 || errno != ENOENT) return place;
  int parent = parent_in_dev(path, &name);
  if (parent < 0 || (kind == S_IFDIR ? mkdirat(parent, name, 0755) : mknodat(parent, name, S_IFREG | 0644, 0))) return -1;
  close(parent);
  return open_below(path, O_PATH);
}

static bool attach(int tree, int place) {
  return tree >= 0 && place >= 0 && !syscall(SYS_move_mount, tree, "", place, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

static int copy_tree(int folder, const char *path, unsigned more) {
  return (int)syscall(SYS_open_tree, folder, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW | more);
}

static bool restrict_tree(int tree, uint64_t attributes) {
  struct mount_attr attr = { .attr_set = attributes };
  return tree >= 0 && !syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof attr);
}

/* Calls with each word of a list with commas. */
static bool for_words(const char *list, bool (*take)(const char *word, void *to), void *to) {
  char words[256];
  if (snprintf(words, sizeof words, "%s", list) >= (int)sizeof words) return false;
  for (char *rest = words, *word; (word = strsep(&rest, ","));)
    if (*word && !take(word, to)) return false;
  return true;
}

static bool take_flag(const char *word, void *to) {
  static const struct { const char *word; uint64_t attribute; } known[] = {
    { "ro", MOUNT_ATTR_RDONLY }, { "nosuid", MOUNT_ATTR_NOSUID }, { "nodev", MOUNT_ATTR_NODEV }, { "noexec", MOUNT_ATTR_NOEXEC },
    { "strictatime", MOUNT_ATTR_STRICTATIME },
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strcmp(known[i].word, word)) {
      *(uint64_t *)to |= known[i].attribute;
      return true;
    }
  errno = EINVAL;
  return false;
}

static bool take_option(const char *word, void *to) {
  char name[128];
  const char *value = strchr(word, '=');
  if (!value) return !syscall(SYS_fsconfig, *(int *)to, FSCONFIG_SET_FLAG, word, NULL, 0);
  snprintf(name, sizeof name, "%.*s", (int)(value - word), word);
  return !syscall(SYS_fsconfig, *(int *)to, FSCONFIG_SET_STRING, name, value + 1, 0);
}

/* A new file system that is attached nowhere yet; -1 if the kernel refuses it. */
static int new_file_system(const char *type, const char *source, uint64_t attributes, const char *options) {
  int context = (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
  bool made = context >= 0 && !syscall(SYS_fsconfig, context, FSCONFIG_SET_STRING, "source", source, 0) &&
              for_words(options, take_option, &context) && !syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0);
  int tree = made ? (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, attributes) : -1;
  int error = errno;
  if (context >= 0) close(context);
  errno = error;
  return tree;
}

/* A tree of the host, as the shim's namespace shows it, with what is mounted below it. */
static int host_tree(const char *source, uint64_t attributes) {
  int tree = copy_tree(AT_FDCWD, source, AT_RECURSIVE);
  return !attributes || restrict_tree(tree, attributes) ? tree : -1;
}

static mode_t kind_of(int file) {
  struct stat found;
  return fstat(file, &found) ? 0 : found.st_mode & S_IFMT;
}

static void mount_all(const struct description *description) {
  for (int i = 0; i < description->mount_count; i++) {
    const char *place = description->mounts[i].place, *type = description->mounts[i].type, *source = description->mounts[i].source;
    uint64_t attributes = 0;
    if (!for_words(description->mounts[i].flags, take_flag, &attributes)) launcher_fail(LAUNCH_MOUNT, place);
    int tree = type ? new_file_system(type, source, attributes, description->mounts[i].options) : host_tree(source, attributes);
    if (tree < 0) launcher_fail(LAUNCH_MOUNT, place);
    int at = open_place(place, kind_of(tree));
    if (!attach(tree, at)) launcher_fail(LAUNCH_MOUNT, place);
    close(at);
    close(tree);
  }
}

static void make_devices(const struct description *description) {
  const char *name;
  for (int i = 0; i < description->device_count; i++) {
    const char *path = description->devices[i].place;
    int tree = host_tree(description->devices[i].source, 0), place = open_place(path, S_IFREG);
    if (kind_of(tree) != S_IFCHR || !attach(tree, place)) launcher_fail(LAUNCH_DEVICE, path);
    close(place);
    close(tree);
  }
  for (int i = 0; i < description->link_count; i++) {
    int parent = parent_in_dev(description->links[i].place, &name);
    if (parent < 0 || symlinkat(description->links[i].target, parent, name)) launcher_fail(LAUNCH_DEVICE, description->links[i].place);
    close(parent);
  }
}

/* Only settings of the network: others may be the machine's. */
static void write_settings(const struct description *description) {
  for (int i = 0; i < description->setting_count; i++) {
    char path[96];
    const char *name = description->settings[i].name, *value = description->settings[i].value;
    int size = snprintf(path, sizeof path, "/proc/sys/%s", name);
    for (char *at = path; (at = strchr(at, '.'));) *at = '/';
    bool ours = (description->namespaces & CLONE_NEWNET) && !strncmp(name, "net.", 4) && size < (int)sizeof path;
    int file = ours ? open_below(path, O_WRONLY) : -1;
    if (file < 0 || write(file, value, strlen(value)) < 0) launcher_fail(LAUNCH_SETTING, name);
    close(file);
  }
}

/* With what is mounted below it. A path that this kernel does not have needs no cover. */
static void cover_read_only(const struct description *description) {
  for (int i = 0; i < description->read_only_count; i++) {
    const char *path = description->read_only[i];
    int place = open_below(path, O_PATH);
    if (place < 0 && errno == ENOENT) continue;
    int tree = place < 0 ? -1 : copy_tree(place, "", AT_EMPTY_PATH | AT_RECURSIVE);
    if (!restrict_tree(tree, MOUNT_ATTR_RDONLY) || !attach(tree, place)) launcher_fail(LAUNCH_READ_ONLY, path);
    close(tree);
    close(place);
  }
}

/* A file is covered by the null device, and a folder by one that is empty: the same one for all, which nobody can write to. */
static void cover_masked(const struct description *description) {
  static const uint64_t closed = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;
  int null = open_below("/dev/null", O_PATH), empty = -1;
  for (int i = 0; i < description->masked_count; i++) {
    const char *path = description->masked[i];
    int place = open_below(path, O_PATH), tree;
    if (place < 0 && errno == ENOENT) continue;
    bool is_folder = kind_of(place) == S_IFDIR;
    if (!is_folder) tree = copy_tree(null, "", AT_EMPTY_PATH);
    else if (empty < 0) tree = empty = new_file_system("tmpfs", "tmpfs", closed, "size=4k,nr_inodes=1");
    else tree = copy_tree(empty, "", AT_EMPTY_PATH);
    if ((!is_folder && !restrict_tree(tree, MOUNT_ATTR_RDONLY)) || !attach(tree, place)) launcher_fail(LAUNCH_MASK, path);
    if (tree != empty) close(tree);
    close(place);
  }
}

void root_build(const struct description *description) {
  /* 1. The kernel made a copy of the shim's mounts, of which nothing may reach the shim's. */
  if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)) launcher_fail(LAUNCH_ROOT, "private");
  /* 2. The root with what the shim mounted in it, as a mount of this namespace's own: the kernel locks those that were copied. */
  root = copy_tree(AT_FDCWD, description->root, AT_RECURSIVE);
  if (root < 0 || syscall(SYS_move_mount, root, "", AT_FDCWD, description->root, MOVE_MOUNT_F_EMPTY_PATH))
    launcher_fail(LAUNCH_ROOT, "root");
  /* 3. Everything in it: new file systems, devices, and covers. */
  mount_all(description);
  make_devices(description);
  write_settings(description);
  cover_read_only(description);
  cover_masked(description);
  /* 4. The root, with the host's tree on top of it, which goes. */
  if (fchdir(root) || syscall(SYS_pivot_root, ".", ".") || umount2(".", MNT_DETACH) || chdir("/")) launcher_fail(LAUNCH_PIVOT, "pivot");
}
