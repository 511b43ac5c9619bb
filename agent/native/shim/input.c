/*
 * Input that the agent sends on descriptor 0 after the plan, all numbers little endian. First the start signal: 8 bytes with the program's time
 * limit in milliseconds, 4 bytes with the count of values to mask in the log, and the values, each 4 bytes of length and then
 * the bytes. Then the program's input in frames, each 4 bytes of length and then the bytes; an empty frame ends it.
 *
 * An input that ends without the empty frame was cut off by the death of the agent. The sandbox is killed: a program must
 * never act on half of its input. Without a start signal the sandbox is not wanted any more, and is killed too.
 */
#define _GNU_SOURCE
#include "shim/shim.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { INPUT_BYTES = 1 << 16, PIPE_BYTES = 1 << 20 };

/* Input: bytes of the current frame wait in `buffer` until the program takes them. */
static struct {
  char buffer[INPUT_BYTES];
  size_t from, to;
  uint8_t start_signal[12], header[4];
  size_t start_signal_bytes, header_bytes;
  uint32_t frame_left;
  bool complete, agent_gone;
} input;

/* Values that the log is not to show, until the last of it is there. */
static struct {
  uint8_t bytes[MASK_ALL_BYTES];
  uint32_t sizes[MASK_VALUES], count, whole;
  /* Where the value at hand begins, and what of it is there. */
  size_t start, have;
} masked;

/* Fills `field`; true once it is whole. */
static bool gather(uint8_t *field, size_t size, size_t *have, ssize_t *count) {
  *count = read(0, field + *have, size - *have);
  if (*count > 0) *have += *count;
  return *have == size;
}

static void close_input(void) {
  if (shim_job.input >= 0) close(shim_job.input);
  shim_job.input = -1;
}

/* Only when the start signal is complete: nothing is logged before the values to mask are known. */
static void release_program(void) {
  uint64_t timeout_ms;
  memcpy(&timeout_ms, input.start_signal, sizeof timeout_ms);
  shim_release(le64toh(timeout_ms));
}

static void take_start_signal(void) {
  memcpy(&masked.count, input.start_signal + sizeof(uint64_t), sizeof masked.count);
  masked.count = le32toh(masked.count);
  if (masked.count > MASK_VALUES) shim_fail("mask_count");
  if (!masked.count) release_program();
}

static void take_value_size(void) {
  uint32_t size;
  memcpy(&size, input.header, sizeof size);
  size = le32toh(size);
  input.header_bytes = 0;
  if (size < MASK_PIECE_MIN || size > MASK_VALUE_BYTES || size > MASK_ALL_BYTES - masked.start) shim_fail("mask_length");
  masked.sizes[masked.whole] = size;
}

static void take_value(void) {
  masked.start += masked.sizes[masked.whole++];
  masked.have = 0;
  if (masked.whole < masked.count) return;
  mask_set_values(masked.bytes, masked.sizes, masked.count);
  release_program();
}

void input_read(void) {
  ssize_t count;
  if (input.start_signal_bytes < sizeof input.start_signal) {
    if (gather(input.start_signal, sizeof input.start_signal, &input.start_signal_bytes, &count)) take_start_signal();
  } else if (masked.whole < masked.count && !masked.sizes[masked.whole]) {
    if (gather(input.header, sizeof input.header, &input.header_bytes, &count)) take_value_size();
  } else if (masked.whole < masked.count) {
    if (gather(masked.bytes + masked.start, masked.sizes[masked.whole], &masked.have, &count)) take_value();
  } else if (input.frame_left) {
    size_t wanted = input.frame_left < sizeof input.buffer ? input.frame_left : sizeof input.buffer;
    count = read(0, input.buffer, wanted);
    if (count > 0) {
      input.frame_left -= (uint32_t)count;
      input.from = 0;
      input.to = shim_job.input < 0 ? 0 : count;
    }
  } else if (gather(input.header, sizeof input.header, &input.header_bytes, &count)) {
    uint32_t length;
    memcpy(&length, input.header, sizeof length);
    input.frame_left = le32toh(length);
    input.header_bytes = 0;
    if (!input.frame_left) input.complete = true;
  }
  if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) {
    input.agent_gone = true;
    shim_end(shim_job.released_ms ? END_INPUT_CUT : END_NOT_WANTED);
  }
  if (input.complete) close_input();
}

/* A large input passes in fewer turns of shim and program, each of which may wait for a busy processor. */
static void widen_pipe(void) {
  static bool is_wide;
  if (!is_wide) fcntl(shim_job.input, F_SETPIPE_SZ, PIPE_BYTES);
  is_wide = true;
}

void input_write(void) {
  ssize_t count = write(shim_job.input, input.buffer + input.from, input.to - input.from);
  if (count > 0) input.from += count;
  if (count > 0 && input_waits()) widen_pipe();
  /* A program that closed its input has had enough: the rest is read and dropped. */
  if (count < 0 && errno == EPIPE) close_input();
  if (shim_job.input < 0) input.from = input.to = 0;
}

bool input_waits(void) { return input.from < input.to; }

bool input_wanted(void) { return !input.complete && !input.agent_gone && !input_waits(); }
