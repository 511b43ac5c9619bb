/* Shared by the parts of the shim. See shim.c for how it works. */
#ifndef SANDBOX_SHIM_H
#define SANDBOX_SHIM_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>

#include "common/clock.h"

enum { MAX_CGROUPS = 8, MAX_SETTINGS = 32, MAX_COUNTERS = 4, MAX_DEVICES = 16, MAX_LOWERS = 4, MAX_FILES = 16, MAX_CLIENTS = 16, MAX_WORDS = 24,
       RANGE = 65536, LOG_CHUNK_BYTES = 1 << 18, MASK_PIECE_MIN = 4, MASK_PIECE_MAX = 32,
       MASK_VALUES = 100, MASK_VALUE_BYTES = 1 << 16, MASK_ALL_BYTES = 1 << 18 };

/* Stands for every device of a major number. */
#define ANY_MINOR UINT32_MAX

/* A directory tree of the host and the first of the 65536 ids that own it on disk. */
struct tree_source {
  uint32_t disk_base;
  const char *path;
};

/* Which tree of /workspace is collected, and what it may hold. */
struct tree_plan {
  uint64_t max_files, max_bytes, max_path, max_name;
  const char *path;
};

struct plan {
  const char *id;
  const char *staging;
  /* Folder of the files that cover those of /proc and of a control group in the sandbox. */
  const char *view;
  /* A folder that is empty for the runtime, and a file of /proc that the runtime sees as the sandbox does; each may be absent. */
  const char *hidden, *covered;
  /* Time that the processes have to end after they were asked to; 0: the shim kills them at once. */
  uint64_t grace_ms;
  /* The runtime is the launcher, which is a part of the shim; otherwise it has a command line. */
  bool is_launched;
  /* The description that the launcher reads; NULL once it has. */
  char *description;
  size_t description_bytes;
  /* The runtime's command line, and the descriptor by which process 1 reaches the shim: 2 for a runtime that passes no other. */
  char *command[MAX_WORDS + 1];
  int word_count, status_descriptor;
  /* The shim kills the runtime once process 1 is up. */
  bool ends_runtime;
  /* One more variable of the runtime, as NAME=value; may be absent. */
  char *environment;
  uint32_t id_base, uid, gid;
  uint64_t log_bytes;

  const char *cgroups[MAX_CGROUPS];
  int cgroup_count;
  /* The one of them that the sandbox may read; absent: none. */
  const char *shown_cgroup;
  struct { const char *slug, *path, *value; } settings[MAX_SETTINGS];
  int setting_count;
  struct { const char *name, *path, *key; uint64_t divisor; } counters[MAX_COUNTERS];
  int counter_count;
  const char *procs;
  /* Devices that the filter of the group permits; none: there is no filter, or the settings limit the devices. */
  struct { uint32_t major, minor; } devices[MAX_DEVICES];
  int device_count;

  struct tree_source lowers[MAX_LOWERS];
  int lower_count;
  struct tree_source base_images;
  enum { WORKSPACE_MEMORY, WORKSPACE_DISK, WORKSPACE_FOLDER } workspace;
  uint64_t workspace_bytes, workspace_inodes;
  const char *workspace_path;
  /* Bytes of the host's disk that a workspace on it leaves free, so that others can still start sandboxes. */
  uint64_t disk_floor;

  struct { uint64_t max_bytes; const char *path; } files[MAX_FILES];
  int file_count;
  /* No path: the runtime makes an empty network namespace. */
  struct { const char *path; uint64_t inode, egress_cap, ingress_cap; bool has_ingress_cap; } network;
  /* A file that the shim locks while it collects large results; none: collections do not wait for each other. */
  const char *collect_lock;
  /* Maximum time for the copy of results. */
  uint32_t collect_seconds;
  /* The shim collects the files alone of `tree`, and also the folders, links and modes of `folder`. Folders and links count as files. */
  bool has_tree, has_folder;
  struct tree_plan tree, folder;
};

/* FILE_LOST: the file exists, and the host could not store it. FILE_LATE: the time for the copy was over. */
enum file_status { FILE_ABSENT, FILE_PRESENT, FILE_TOO_LARGE, FILE_NOT_REGULAR, FILE_LOST, FILE_LATE, FILE_STATUSES };
enum tree_status { TREE_ABSENT, TREE_COLLECTED, TREE_REJECTED };

/* Report of the collecting child to the shim: numbers, a short slug, and the end of the path that broke a rule. The program chose
   the bytes of that path. */
enum { ODD_PATH_BYTES = 255 };
struct collected_tree {
  uint32_t status;
  char reason[32];
  char path[ODD_PATH_BYTES + 1];
};
struct collected {
  struct { uint32_t status; uint64_t size; } files[MAX_FILES];
  struct collected_tree tree, folder;
};

enum end { END_SELF, END_STOPPED, END_DEADLINE, END_EGRESS_CAP, END_INPUT_CUT, END_NOT_WANTED, END_DISK_LOW };

/* State of the job in the sandbox. Descriptors are -1 once they are closed. */
struct job {
  /* 0 once the runtime has ended. Where that is the launcher, it is process 1. */
  pid_t runtime;
  int runtime_status;
  int log, status, input, timer, meter, signals;
  bool about_to_start, started, failed_to_start, reported;
  /* As process 1 reports it, which is trusted no more than the program. */
  bool shared_memory_full;
  /* The shim has asked the processes to end. */
  bool asked_to_end;
  uint32_t start_error, program_status;
  /* When the start signal came, and the processor time that the sandbox had used by then. */
  uint64_t released_ms, released_cpu_ms;
  enum end end;
};

/* One sandbox per process. */
extern struct plan shim_plan;
extern struct job shim_job;
extern struct collected shim_results;
/* The sandbox's folder. */
extern int shim_folder;

/* shim.c */
/* Starts the program, at the start signal of the agent. */
void shim_release(uint64_t timeout_ms);
/* Kills the sandbox, unless it has ended already; the first cause is the one that is recorded. */
void shim_end(enum end end);
/* Asks all processes to end, and kills the sandbox after the time that the plan gives them, or at once if it gives none. */
void shim_ask_to_end(enum end end);
/*
 * For a child of the shim: the kernel kills it when the shim ends. False if the shim has ended already. A child that outlived the shim
 * would hold the agent's socket, and the agent would wait for it. A later change of the child's ids undoes it.
 */
bool shim_ends_caller(void);
/* Below the other shims of its owner, which are in the same control group: their small runs do not wait for this one. */
void shim_lower_priority(void);

/* space.c */
/* True while the disk of that file is too full for writes of tenants. */
bool space_low(int file);
/* True while it is too full for the results of this sandbox. */
bool space_short(int file);
/* True once the sandbox has to end, because its workspace leaves too little of the host's disk. */
bool space_taken(void);
/* Writes the dirty pages of the file to disk, so that the next sync of anybody on this disk does not wait for them. */
void space_flush(int file);
/* The same, and then sleeps three times as long, so that few of many callers use the disk at once. */
void space_flush_slowly(int file);

/* record.c */
void record_reserve(void);
struct outcome { const char *cause; int exit_code, signal_number; const char *detail; };
void record_write(const struct outcome *outcome);
/* Removes everything but the record, and exits. */
_Noreturn void shim_exit(void);
/* Ends the start: undoes what was made, writes the exit record with `slug` as detail, exits. */
_Noreturn void shim_fail(const char *slug);

/* outcome.c */
/* Prints the whole record as one JSON object. */
void outcome_print(FILE *out, const struct outcome *outcome);
/* Records how the sandbox ended. */
void outcome_record(bool all_dead);

/* clients.c */
void clients_listen(void);
void clients_notify(const char *line);
/* Fills at most 1 + MAX_CLIENTS entries; returns how many. */
int clients_watch(struct pollfd *waits);
void clients_serve(const struct pollfd *waits, int count);

/* input.c */
/* True while bytes wait for the program to read them. */
bool input_waits(void);
/* True while the next bytes may be read from the agent. */
bool input_wanted(void);
void input_read(void);
void input_write(void);

/* runtime.c */
void runtime_start(void);
/* The slug of what failed, from the wait status of a runtime that ended before the program started. */
const char *runtime_failure(int status);

/* plan.c */
void plan_read(struct plan *plan);

/* cgroups.c */
void cgroups_make(const struct plan *plan);
bool cgroups_enter(const struct plan *plan);
uint64_t cgroups_counter(const struct plan *plan, const char *name);
/* Kills every process of the sandbox; true when none is left. */
bool cgroups_kill(const struct plan *plan);
void cgroups_remove(const struct plan *plan);

/* devices.c */
/* Lets nothing in the group open a device but those of the plan. */
void devices_filter(const struct plan *plan);

/* mounts.c */
/* Builds the sandbox's file systems in a private mount namespace. */
void mounts_make(const struct plan *plan);
/* A descriptor of the sandbox's /workspace, for collection. */
int mounts_workspace(void);
bool mounts_workspace_full(void);

/* network.c */
struct traffic { uint64_t in, out; };
void network_take(const struct plan *plan);
/* Moves the caller into the sandbox's network namespace, if there is one. */
bool network_enter(void);
/* False, and zeros, without a link. */
bool network_traffic(struct traffic *traffic);
/* A timer that expires when network_over_cap is due; -1 without a link. */
int network_meter(void);
/* True above a cap, or if the traffic cannot be counted; otherwise sets the timer again. */
bool network_over_cap(const struct plan *plan);

/* mask.c */
/* Takes `count` values of MASK_PIECE_MIN to MASK_VALUE_BYTES, which are one after another in `values`, and wipes them. */
void mask_set_values(uint8_t *values, const uint32_t *sizes, uint32_t count);
/* Appends at most LOG_CHUNK_BYTES of log without the values. */
void mask_append(const char *bytes, size_t count);
/* Appends the bytes that are held back, at the end of the log. */
void mask_flush(void);

/* mask-forms.c */
/* Calls with every piece of every form of the value, some of them more than once. */
void mask_forms_of(const uint8_t *value, size_t size, void (*take)(const uint8_t *piece, size_t size));

/* log.c */
void log_limit(uint64_t limit);
void log_append(const char *bytes, size_t count);
uint64_t log_total(void);
uint64_t log_kept(void);
void log_sync(void);

/* collect.c */
void collect_results(const struct plan *plan, int dir, int workspace, struct collected *result);

#endif
