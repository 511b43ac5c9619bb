/* Shared by the parts of the collector. See main.c for how it works. */
#ifndef COLLECTOR_H
#define COLLECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/exchange.h"
#include "shim/shim.h"

/* errand.c */
/* A request that is repeated until the gateway has answered it. */
struct errand {
  struct exchange exchange;
  struct request request;
  bool busy;
  uint64_t again_ms, delay_ms;
};
void errand_begin(struct errand *errand, const struct request *request);
/* True once the gateway has answered; the answer is in the exchange until the next errand. */
bool errand_step(struct errand *errand);
/* The events that it waits for; `*until_ms` becomes when it has to go on at the latest, if that is earlier. */
struct pollfd errand_watch(const struct errand *errand, uint64_t *until_ms);
/* Waits for the answer and returns its status; 0 if there is none by then. */
int errand_finish(struct errand *errand, uint64_t until_ms);
/* The number in a flat object of the answer, or `otherwise`. */
uint64_t errand_number(const struct errand *errand, const char *key, uint64_t otherwise);

/* parts.c */
extern pid_t collector_pid;
/* Records that the input was cut before the program had it, and exits. */
_Noreturn void start_cut(void);

/* gateway.c */
extern struct errand gateway_uploads;
/* The collector's own secret of 64 digits, which is the credential of all but the first request. */
extern char gateway_credential[65];
/* Forbids the start of this pod, and exits. */
_Noreturn void gateway_refuse(const char *slug);
/* Takes the one start of this pod, or exits. */
void gateway_redeem(void);
/* A request to `path`, with the credential. */
struct request gateway_request(const char *method, const char *path);

/* start.c */
/* Reads the plan, the program and the values to mask from the stream; `launch` and `launch_bytes` are the program. */
void start_read(struct exchange *input);
extern char *start_program;
extern uint32_t start_program_bytes;
extern struct launch_limits { uint32_t open_files, processes; } start_limits;
extern uint64_t start_timeout_ms;

/* peer.c */
/* Listens for process 1 of the job. */
void peer_listen(void);
/* Takes its three connections, and closes the listener. */
void peer_accept(void);
/* Sends what to start. */
void peer_launch(void);
struct peer { int control, input, log; };
extern struct peer peer;

/* follow.c */
/* Serves the job until no process of it is left. False if that is not certain. */
bool follow_job(struct exchange *input);
/* When everything has to be with the gateway. */
extern uint64_t follow_until_ms;

/* meter.c */
/* From here on the traffic counts. */
void meter_start(void);

/* results.c */
void results_collect(void);
void results_upload(void);
/* The parts of the log from one position to another one. */
void results_log(uint64_t from, uint64_t to, struct request *request);

#endif
