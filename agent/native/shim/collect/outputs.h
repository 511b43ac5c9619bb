/* Copies outputs of a program out of its workspace. Called by a process without rights, see collect.c. */
#ifndef SANDBOX_OUTPUTS_H
#define SANDBOX_OUTPUTS_H

#include "shim/shim.h"

/* False only if nothing has that name, so that there is nothing to copy. */
bool outputs_may_exist(int workspace, const char *path);

/* Copies file `number` of the plan to `target`, and sets its part of `result`. */
void outputs_copy_file(const struct plan *plan, int number, int workspace, int target, struct collected *result);

/*
 * Where a tree goes: its contents one after another, and for each file its size with `@` and its time, a space, its path and a
 * zero byte. Times are in seconds since 1970.
 */
struct tree_target {
  int data;
  FILE *index;
};

/* Copies the files of a tree, all or none. A link or a special file refuses it. */
void outputs_copy_tree(const struct tree_plan *plan, int workspace, struct tree_target target, struct collected_tree *result);

/*
 * Copies a tree with its folders, links and modes, all or none; sockets, FIFOs and devices are left out. `target` gets the
 * entries, a folder before what it holds: `d`, `f`, `k` or `l`, the mode in octal digits with `@` and the time, the size in
 * decimal ones, and the path, divided by spaces, then a zero byte and `size` bytes of content. The content of a link is its
 * target. `k` is a file whose bytes the reader has (known.h): its SHA-256 follows in their place.
 */
void outputs_copy_folder(const struct tree_plan *plan, int workspace, int target, struct collected_tree *result);

#endif
