#ifndef POD_PROBE_H
#define POD_PROBE_H

/* Everything that is not confined, as bits of the exit code: kubernetes/check/probe-report.ts names them. */
enum {
  HOST_IDS = 1,
  CAPABILITIES = 2,
  FILTER = 4,
  ROOT_WRITABLE = 8,
  WORKSPACE = 16,
  MESSAGE = 32,
  TOKEN = 64,
};

/* The container of a job: what it could do. */
int probe_job(void);

/* The container of a collector: which ports of the gateway the pod reaches. The report is its termination message. */
int probe_network(void);

#endif
