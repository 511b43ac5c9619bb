/*
 * The sandbox's file systems, in a private mount namespace that vanishes with the shim:
 *
 *   staging/root         overlay: upper on the workspace file system, lowers are the platform layer above the image
 *   staging/space        the one file system that takes every write: tmpfs, or ext4 in a file made for this sandbox
 *   staging/proc         what the program sees of /proc instead of the host's; the runtime lays it there
 *   staging/cgroup       the same for the control group
 *   staging/whole-proc   /proc, where a part of it is hidden from the runtime
 *   staging/runtime      the runtime's state, which it makes itself
 *   staging/lower/<n>    idmapped, read-only, nosuid, nodev views of the trees on the host's disk; `base-images` among them
 *                        in a build, which sees them through an overlay
 *
 *   staging/devices      device nodes of the sandbox's own
 *
 * A sandbox reads in its mount table where an overlay's layers and the root of a bind mount lie. So layers have names
 * relative to the staging folder, and nothing of the host's disk is bound into a sandbox.
 *
 * A sandbox opens no inode that another one opens too, for locks, leases and watches belong to the inode: trees on the
 * host's disk are only ever seen through an overlay, which has inodes of its own.
 *
 * Every path here is the shim's own. Nothing of an image is ever resolved by root: the platform layer holds real
 * folders at each mount point and lies above the image, so an image's link at /workspace or /dev is hidden by it.
 */
#define _GNU_SOURCE
#include "shim/shim.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/loop.h>
#include <linux/mount.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char root_path[64], space_path[64], lower_path[64], proc_path[64], group_path[64], whole_proc_path[64];
static int workspace = -1;

static int wait_for_kill(void *unused) {
  (void)unused;
  if (shim_ends_caller()) pause();
  return 0;
}

static bool write_map(pid_t pid, const char *kind, uint32_t disk_base, uint32_t id_base) {
  char path[64], text[64];
  snprintf(path, sizeof path, "/proc/%d/%s", pid, kind);
  int size = snprintf(text, sizeof text, "%u %u %u", disk_base, id_base, RANGE);
  int file = open(path, O_WRONLY | O_CLOEXEC);
  bool done = file >= 0 && write(file, text, size) == size;
  if (file >= 0) close(file);
  return done;
}

/*
 * A user namespace is the only way to hand the kernel an id mapping: a short-lived child lends one, on a stack of its own in
 * the shim's memory, which would take longer to copy. The last one is kept, since most trees of a sandbox have the same owner.
 */
static int id_mapping(uint32_t disk_base, uint32_t id_base) {
  static char stack[16384];
  static int last = -1;
  static uint32_t last_base;
  if (last >= 0 && last_base == disk_base) return last;
  char path[64];
  pid_t pid = clone(wait_for_kill, stack + sizeof stack, CLONE_VM | CLONE_NEWUSER | SIGCHLD, NULL);
  if (pid < 0) shim_fail("user_namespace");
  bool mapped = write_map(pid, "uid_map", disk_base, id_base) && write_map(pid, "gid_map", disk_base, id_base);
  snprintf(path, sizeof path, "/proc/%d/ns/user", pid);
  int handle = open(path, O_RDONLY | O_CLOEXEC);
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  if (!mapped || handle < 0) shim_fail("user_namespace");
  if (last >= 0) close(last);
  last = handle;
  last_base = disk_base;
  return handle;
}

/* Attaches `source` at `target`, its owners moved into the sandbox's id range. */
static void attach(const struct tree_source *source, const char *target, uint32_t id_base, uint64_t extra) {
  int tree = (int)syscall(SYS_open_tree, AT_FDCWD, source->path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW);
  if (tree < 0) shim_fail("image_open");
  int mapping = id_mapping(source->disk_base, id_base);
  struct mount_attr attributes = {
    .attr_set = MOUNT_ATTR_IDMAP | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOSUID | extra,
    .userns_fd = mapping,
  };
  if (syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &attributes, sizeof attributes)) shim_fail("idmapped_mount");
  if (syscall(SYS_move_mount, tree, "", AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH)) shim_fail("idmapped_mount");
  close(tree);
}

static void folder(const char *path, mode_t mode, uint32_t uid, uint32_t gid) {
  if (mkdir(path, mode) || chown(path, uid, gid) || chmod(path, mode)) shim_fail("workspace_prepare");
}

/* The launcher takes these from their folder. Other runtimes bind them into the sandbox by their paths on the host, where they are laid. */
static void own_devices(const char *path, bool by_path) {
  static const struct { const char *name; unsigned major, minor; } devices[] = {
    { "null", 1, 3 }, { "zero", 1, 5 }, { "full", 1, 7 }, { "random", 1, 8 }, { "urandom", 1, 9 }, { "tty", 5, 0 },
  };
  char made[112], known[32];
  folder(path, 0755, 0, 0);
  if (mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NOEXEC, "size=64k,nr_inodes=16,mode=755")) shim_fail("device_nodes");
  for (size_t at = 0; at < sizeof devices / sizeof *devices; at++) {
    snprintf(made, sizeof made, "%s/%s", path, devices[at].name);
    snprintf(known, sizeof known, "/dev/%s", devices[at].name);
    if (mknod(made, S_IFCHR | 0666, makedev(devices[at].major, devices[at].minor)) || chmod(made, 0666) ||
        (by_path && mount(made, known, NULL, MS_BIND, NULL)))
      shim_fail("device_nodes");
  }
}

/*
 * Gives the file made for this sandbox to a free loop device; the kernel frees the device at the last unmount. Nobody mounts the file
 * again, so a sync inside does not wait for the host's disk (nobarrier), and does not make others wait there.
 */
static void mount_disk(const char *file_path) {
  char device[32];
  struct loop_config config = { .info = { .lo_flags = LO_FLAGS_AUTOCLEAR } };
  int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
  int file = open(file_path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (control < 0 || file < 0) shim_fail("loop_device");
  config.fd = file;
  int loop = -1;
  for (int tries = 0; tries < 64 && loop < 0; tries++) {
    int number = ioctl(control, LOOP_CTL_GET_FREE);
    if (number < 0) shim_fail("loop_device");
    snprintf(device, sizeof device, "/dev/loop%d", number);
    loop = open(device, O_RDWR | O_CLOEXEC);
    if (loop >= 0 && ioctl(loop, LOOP_CONFIGURE, &config)) {
      if (errno != EBUSY) shim_fail("loop_device");
      close(loop);
      loop = -1;
    }
  }
  if (loop < 0) shim_fail("loop_device");
  if (mount(device, space_path, "ext4", MS_NOSUID | MS_NODEV | MS_NOATIME, "noinit_itable,nobarrier")) shim_fail("workspace_mount");
  close(loop);
  close(file);
  close(control);
}

static void mount_memory(uint64_t bytes, uint64_t inodes) {
  char options[128];
  snprintf(options, sizeof options, "size=%llu,nr_inodes=%llu,mode=711", (unsigned long long)bytes,
           (unsigned long long)inodes);
  if (mount("tmpfs", space_path, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOATIME, options)) shim_fail("workspace_mount");
}

static void mount_workspace(const struct plan *plan) {
  uint32_t base = plan->id_base;
  char path[96], target[96];
  if (plan->workspace == WORKSPACE_DISK) mount_disk(plan->workspace_path);
  else mount_memory(plan->workspace_bytes, plan->workspace_inodes);
  if (chown(space_path, 0, 0) || chmod(space_path, 0711)) shim_fail("workspace_prepare");
  snprintf(path, sizeof path, "%s/upper", space_path);
  folder(path, 0755, base, base);
  if (plan->base_images.path) {
    snprintf(path, sizeof path, "%s/upper/base-images", space_path);
    folder(path, 0755, base, base);
  }
  snprintf(path, sizeof path, "%s/work", space_path);
  folder(path, 0700, 0, 0);
  snprintf(path, sizeof path, "%s/workspace", space_path);
  folder(path, 0755, base + plan->uid, base + plan->gid);
  if (plan->workspace == WORKSPACE_FOLDER) {
    struct tree_source own = { .disk_base = base, .path = plan->workspace_path };
    snprintf(target, sizeof target, "%s/workspace", space_path);
    int tree = (int)syscall(SYS_open_tree, AT_FDCWD, own.path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW);
    struct mount_attr attributes = { .attr_set = MOUNT_ATTR_NODEV | MOUNT_ATTR_NOSUID };
    if (tree < 0 || syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &attributes, sizeof attributes) ||
        syscall(SYS_move_mount, tree, "", AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH))
      shim_fail("workspace_mount");
    close(tree);
  }
}

/* Names in `options` and `target` are relative to the staging folder. */
static void mount_overlay(const char *staging, const char *target, unsigned long extra, const char *options) {
  if (chdir(staging) || mount("overlay", target, "overlay", MS_NOSUID | MS_NODEV | extra, options) || fchdir(shim_folder))
    shim_fail("overlay_mount");
}

/* An overlay without a writable layer has two layers at least. */
static void mount_base_images(const struct plan *plan) {
  char path[96];
  snprintf(path, sizeof path, "%s/base-images", lower_path);
  folder(path, 0755, 0, 0);
  attach(&plan->base_images, path, plan->id_base, MOUNT_ATTR_RDONLY);
  snprintf(path, sizeof path, "%s/none", lower_path);
  folder(path, 0755, 0, 0);
  mount_overlay(plan->staging, "root/base-images", MS_RDONLY, "lowerdir=lower/base-images:lower/none");
}

static void mount_root(const struct plan *plan) {
  char options[512], path[96], source[96];
  int size = snprintf(options, sizeof options, "upperdir=space/upper,workdir=space/work,lowerdir=");
  for (int i = 0; i < plan->lower_count; i++)
    size += snprintf(options + size, sizeof options - size, "%slower/%d", i ? ":" : "", i);
  mount_overlay(plan->staging, "root", 0, options);

  snprintf(source, sizeof source, "%s/workspace", space_path);
  snprintf(path, sizeof path, "%s/workspace", root_path);
  if (mount(source, path, NULL, MS_BIND, NULL)) shim_fail("workspace_mount");
  if (plan->base_images.path) mount_base_images(plan);
  workspace = open(source, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (workspace < 0) shim_fail("workspace_mount");
}

enum { VIEW_FILE_BYTES = 1 << 18 };

/* Copies, so that no path of the host shows in the sandbox's list of mounts. */
static void make_view(const struct plan *plan, const char *part, const char *to) {
  static char text[VIEW_FILE_BYTES];
  char from[PATH_MAX];
  if (snprintf(from, sizeof from, "%s/%s", plan->view, part) >= (int)sizeof from) shim_fail("proc_files");
  folder(to, 0755, 0, 0);
  int source = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  int target = open(to, O_PATH | O_DIRECTORY | O_CLOEXEC);
  DIR *names = source < 0 ? NULL : fdopendir(source);
  if (!names || target < 0) shim_fail("proc_files");
  for (struct dirent *entry; (entry = readdir(names));) {
    if (entry->d_name[0] == '.') continue;
    int in = openat(source, entry->d_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    int out = openat(target, entry->d_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
    ssize_t size = in < 0 ? -1 : read(in, text, sizeof text);
    if (out < 0 || size < 0 || write(out, text, size) != size || fchmod(out, 0444)) shim_fail("proc_files");
    /* The time of the last boot, which programs reckon the age of processes from. */
    if (!strcmp(entry->d_name, "stat")) dprintf(out, "btime %lld\n", (long long)time(NULL));
    close(in);
    close(out);
  }
  close(target);
  closedir(names);
}

/* Programs that look for control groups of version 1 have a folder for each controller: here all are the same one. */
static void name_controllers(const char *group) {
  static const char *const names[] = {"cpu", "cpuacct", "cpuset", "memory"};
  char path[96];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(path, sizeof path, "%s/%s", group, names[i]);
    if (symlink(".", path)) shim_fail("proc_files");
  }
}

/*
 * Lays an empty folder, and a file of the sandbox's view, over those of /proc, in this namespace alone. The kernel mounts a new /proc
 * in a user namespace only where a whole one can be seen, so one is kept aside.
 */
static void cover(const struct plan *plan) {
  char source[96], target[96];
  folder(whole_proc_path, 0700, 0, 0);
  if (mount("/proc", whole_proc_path, NULL, MS_BIND, NULL)) shim_fail("hidden_folder");
  if (plan->hidden && mount("tmpfs", plan->hidden, "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=4k"))
    shim_fail("hidden_folder");
  if (!plan->covered) return;
  snprintf(source, sizeof source, "%s/%s", proc_path, plan->covered);
  snprintf(target, sizeof target, "/proc/%s", plan->covered);
  if (mount(source, target, NULL, MS_BIND, NULL)) shim_fail("hidden_folder");
}

void mounts_make(const struct plan *plan) {
  char path[96];
  snprintf(root_path, sizeof root_path, "%s/root", plan->staging);
  snprintf(space_path, sizeof space_path, "%s/space", plan->staging);
  snprintf(proc_path, sizeof proc_path, "%s/proc", plan->staging);
  snprintf(group_path, sizeof group_path, "%s/cgroup", plan->staging);
  snprintf(lower_path, sizeof lower_path, "%s/lower", plan->staging);
  snprintf(whole_proc_path, sizeof whole_proc_path, "%s/whole-proc", plan->staging);

  /* 1. Nothing mounted from here on is seen by the host, and nothing of the host arrives later. */
  if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)) shim_fail("mount_namespace");
  /* 2. crun 1.8 refuses the hybrid cgroup layout, and does not need to see it. */
  if (!plan->is_launched && umount2("/sys/fs/cgroup/unified", MNT_DETACH) && errno != EINVAL && errno != ENOENT) shim_fail("cgroup_hybrid");
  /* 3. A private tmpfs holds the mount points and the runtime's copy of its specification, which the agent takes up to 4 MiB
        of; others may pass through it, not list it. */
  if (mount("tmpfs", plan->staging, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=8m,mode=711")) shim_fail("staging_mount");
  folder(root_path, 0755, 0, 0);
  folder(space_path, 0711, 0, 0);
  folder(lower_path, 0711, 0, 0);
  make_view(plan, "proc", proc_path);
  make_view(plan, "cgroup", group_path);
  name_controllers(group_path);
  snprintf(path, sizeof path, "%s/devices", plan->staging);
  own_devices(path, !plan->is_launched);
  /* 4. The read-only trees, seen with the sandbox's own ids. */
  for (int i = 0; i < plan->lower_count; i++) {
    snprintf(path, sizeof path, "%s/%d", lower_path, i);
    folder(path, 0755, 0, 0);
    attach(&plan->lowers[i], path, plan->id_base, MOUNT_ATTR_RDONLY);
  }
  /* 5. The one writable file system, then the root above it. */
  mount_workspace(plan);
  mount_root(plan);
  if (plan->hidden || plan->covered) cover(plan);
}

int mounts_workspace(void) { return workspace; }

/* A file system keeps some blocks that no program gets: less than this is full. */
enum { FULL_BYTES = 256 * 1024 };

bool mounts_workspace_full(void) {
  struct statvfs space;
  if (workspace < 0 || statvfs(space_path, &space)) return false;
  return space.f_bavail * space.f_frsize < FULL_BYTES || space.f_favail == 0;
}
