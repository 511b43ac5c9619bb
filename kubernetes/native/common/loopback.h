/*
 * How the two programs of a pod meet. Process 1 of the job opens three connections to a listener of the collector on the loopback, and begins
 * each with the byte of its role. The collector closes its listener once it has all three, and only then sends the launch: so
 * no program of the job can take the place of one of them.
 *
 *   control  to process 1: the launch, then a byte for each request (`T`, `K`); from it: messages of eight bytes, a kind and a value
 *   input    to process 1: the program's input
 *   log      from process 1: what the program writes
 *
 * The launch is a head and then its bytes: strings that each end with a zero byte, the words of the command, an empty one, the variables.
 */
#ifndef POD_LOOPBACK_H
#define POD_LOOPBACK_H

#include <stdint.h>

/* Neither one of the kernel's own choice nor one that programs use. */
enum { LOOPBACK_PORT = 61083, LAUNCH_BYTES = 4 << 20 };

enum { ROLE_CONTROL = 'C', ROLE_INPUT = 'I', ROLE_LOG = 'L' };

/* Both programs run on one machine, so numbers are as it has them. */
struct launch_head {
  uint32_t open_files, processes, bytes;
};

#endif
