/*
 * What the agent sends on descriptor 0, all numbers little endian. First its word: 8 bytes with the program's time in
 * milliseconds, 4 bytes with the count of values that the log is not to show, and the values: 4 bytes length, then the
 * bytes. Then the program's input in frames: 4 bytes length, then the bytes; an
 * empty frame ends it.
 * An input that ends without the empty frame was cut by the agent's death: the sandbox is killed, for a program must
 * never act on half of its input. Where not even the word came, nobody wants the sandbox any more.
 */
#define _GNU_SOURCE
#include "shim.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { INPUT_BYTES = 1 << 16 };

/* Input: bytes of the current frame wait in `buffer` until the program takes them. */
static struct {
  char buffer[INPUT_BYTES];
  size_t from, to;
  uint8_t word[12], header[4];
  size_t word_bytes, header_bytes;
  uint32_t frame_left;
  bool complete, agent_gone;
} input;

/* What the log is not to show, until the last of it is there. */
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
  if (job.input >= 0) close(job.input);
  job.input = -1;
}

/* The program starts when all of the word is there: nothing is logged before its masks are known. */
static void begin_by_word(void) {
  uint64_t timeout_ms;
  memcpy(&timeout_ms, input.word, sizeof timeout_ms);
  begin(le64toh(timeout_ms));
}

static void take_word(void) {
  memcpy(&masked.count, input.word + sizeof(uint64_t), sizeof masked.count);
  masked.count = le32toh(masked.count);
  if (masked.count > MASK_VALUES) fail("mask_count");
  if (!masked.count) begin_by_word();
}

static void take_value_size(void) {
  uint32_t size;
  memcpy(&size, input.header, sizeof size);
  size = le32toh(size);
  input.header_bytes = 0;
  if (size < MASK_PIECE_MIN || size > MASK_VALUE_BYTES || size > MASK_ALL_BYTES - masked.start) fail("mask_length");
  masked.sizes[masked.whole] = size;
}

static void take_value(void) {
  masked.start += masked.sizes[masked.whole++];
  masked.have = 0;
  if (masked.whole < masked.count) return;
  masks_make(masked.bytes, masked.sizes, masked.count);
  begin_by_word();
}

void input_read(void) {
  ssize_t count;
  if (input.word_bytes < sizeof input.word) {
    if (gather(input.word, sizeof input.word, &input.word_bytes, &count)) take_word();
  } else if (masked.whole < masked.count && !masked.sizes[masked.whole]) {
    if (gather(input.header, sizeof input.header, &input.header_bytes, &count)) take_value_size();
  } else if (masked.whole < masked.count) {
    if (gather(masked.bytes + masked.start, masked.sizes[masked.whole], &masked.have, &count)) take_value();
  } else if (input.frame_left) {
    size_t wanted = input.frame_left < sizeof input.buffer ? input.frame_left : sizeof input.buffer;
    count = read(0, input.buffer, wanted);
    if (count > 0) {
      input.frame_left -= count;
      input.from = 0;
      input.to = job.input < 0 ? 0 : count;
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
    end_by(job.begun_ms ? END_INPUT_CUT : END_NOT_WANTED);
  }
  if (input.complete) close_input();
}

void input_write(void) {
  ssize_t count = write(job.input, input.buffer + input.from, input.to - input.from);
  if (count > 0) input.from += count;
  /* A program that closed its input has had enough: the rest is read and dropped. */
  if (count < 0 && errno == EPIPE) close_input();
  if (job.input < 0) input.from = input.to = 0;
}

bool input_waits(void) { return input.from < input.to; }

bool input_wanted(void) { return !input.complete && !input.agent_gone && !input_waits(); }
