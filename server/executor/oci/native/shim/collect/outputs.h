/* Copies outputs of a program out of its workspace. Called by a process without rights, see collect.c. */
#ifndef SANDBOX_OUTPUTS_H
#define SANDBOX_OUTPUTS_H

#include "shim/shim.h"

/* Copies file `number` of the plan to `target`, and sets its part of `result`. */
void outputs_copy_file(const struct plan *plan, int number, int workspace, int target, struct collected *result);

/* Where a tree goes: its contents one after another, and for each file its size, a space, its path and a zero byte. */
struct tree_target {
  int data;
  FILE *index;
};

/* Copies the tree of the plan, whole or not at all, and sets its part of `result`. */
void outputs_copy_tree(const struct plan *plan, int workspace, struct tree_target target, struct collected *result);

#endif
