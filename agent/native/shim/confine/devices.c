/*
 * Which devices the sandbox may open where control groups have version 2: a program of a few instructions that the kernel
 * asks at each opening and making of a device node. Version 1 has files for it, which the plan sets like other limits.
 *
 * The program is attached to the group before anything enters it, and goes with the group. It lets character devices of
 * the plan be read and written, and nothing be made; groups above may refuse more.
 */
#define _GNU_SOURCE
#include "shim/shim.h"

#include <fcntl.h>
#include <linux/bpf.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_INSTRUCTIONS = 16 + 4 * MAX_DEVICES };

static struct bpf_insn program[MAX_INSTRUCTIONS];
static int length;

static void emit(uint8_t code, uint8_t target, uint8_t source, int16_t offset, int32_t number) {
  program[length++] = (struct bpf_insn){ .code = code, .dst_reg = target & 15u, .src_reg = source & 15u, .off = offset, .imm = number };
}

static void load(uint8_t target, int16_t offset) { emit(BPF_LDX | BPF_MEM | BPF_W, target, BPF_REG_1, offset, 0); }

static void answer(bool allow) {
  emit(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, allow);
  emit(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

/* Goes over the next `count` instructions unless the register has that value. */
static void skip_unless(uint8_t target, int32_t value, int16_t count) { emit(BPF_JMP | BPF_JNE | BPF_K, target, 0, count, value); }

static void write_program(const struct plan *plan) {
  enum { ACCESS = BPF_REG_2, KIND = BPF_REG_3, MAJOR = BPF_REG_4, MINOR = BPF_REG_5 };
  load(ACCESS, offsetof(struct bpf_cgroup_dev_ctx, access_type));
  load(MAJOR, offsetof(struct bpf_cgroup_dev_ctx, major));
  load(MINOR, offsetof(struct bpf_cgroup_dev_ctx, minor));
  /* The lower half is the kind of device, the upper one what is to be done with it. */
  emit(BPF_ALU64 | BPF_MOV | BPF_X, KIND, ACCESS, 0, 0);
  emit(BPF_ALU64 | BPF_AND | BPF_K, KIND, 0, 0, 0xffff);
  emit(BPF_JMP | BPF_JEQ | BPF_K, KIND, 0, 2, BPF_DEVCG_DEV_CHAR);
  answer(false);
  emit(BPF_ALU64 | BPF_RSH | BPF_K, ACCESS, 0, 0, 16);
  emit(BPF_ALU64 | BPF_AND | BPF_K, ACCESS, 0, 0, BPF_DEVCG_ACC_MKNOD);
  emit(BPF_JMP | BPF_JEQ | BPF_K, ACCESS, 0, 2, 0);
  answer(false);
  for (int i = 0; i < plan->device_count; i++) {
    bool any = plan->devices[i].minor == ANY_MINOR;
    skip_unless(MAJOR, plan->devices[i].major, any ? 2 : 3);
    if (!any) skip_unless(MINOR, plan->devices[i].minor, 2);
    answer(true);
  }
  answer(false);
}

static int bpf(enum bpf_cmd command, union bpf_attr *attributes) { return (int)syscall(SYS_bpf, command, attributes, sizeof *attributes); }

void devices_filter(const struct plan *plan) {
  if (!plan->device_count) return;
  write_program(plan);
  union bpf_attr to_load = {
    .prog_type = BPF_PROG_TYPE_CGROUP_DEVICE,
    .expected_attach_type = BPF_CGROUP_DEVICE,
    .insns = (uintptr_t)program,
    .insn_cnt = length,
    .license = (uintptr_t)"Apache-2.0",
  };
  int loaded = bpf(BPF_PROG_LOAD, &to_load);
  int group = open(plan->cgroups[0], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (loaded < 0 || group < 0) shim_fail("limit_devices");
  union bpf_attr to_attach = {
    .target_fd = group,
    .attach_bpf_fd = loaded,
    .attach_type = BPF_CGROUP_DEVICE,
    .attach_flags = BPF_F_ALLOW_MULTI,
  };
  if (bpf(BPF_PROG_ATTACH, &to_attach)) shim_fail("limit_devices");
  close(loaded);
  close(group);
}
