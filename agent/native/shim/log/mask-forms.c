/*
 * The forms that programs commonly print a value in, cut into pieces for mask.c: plain, as JSON has it, base64 and
 * base64url wherever the value lies in what was encoded, hexadecimal, URL-encoded; and in lines, as programs break what
 * they encode. A longer value is found by its pieces, so also where only a part of it was printed. A shell takes the new
 * lines off the end of what it reads, so a value has the forms of what is left too.
 *
 * The shim of the sandbox makes them, since it takes time: nobody else waits for it. mask-definition.ts says the same for
 * the tests.
 */
#define _GNU_SOURCE
#include "shim/shim.h"

#include <stdlib.h>
#include <string.h>

/* The longest form of a byte is JSON's \u0000. */
enum { LONGEST_FORM = 6, TELLING_BYTES = 8, PIECES_OF_END = 2 };

struct value {
  const uint8_t *bytes;
  size_t size;
};

struct form {
  char *text;
  size_t size;
};

struct cutting {
  void (*take)(const uint8_t *piece, size_t size);
  /* Only the end of a form differs from that of the value with its new lines. */
  bool only_end;
  struct form form, lines;
};

static void put(struct form *form, const char *text, size_t size) {
  memcpy(form->text + form->size, text, size);
  form->size += size;
}

static void take(const struct cutting *cutting, const struct form *form, size_t start, size_t size) {
  if (start + size > form->size) size = form->size - start;
  cutting->take((const uint8_t *)form->text + start, size);
}

/*
 * The end of the log is held back while it may be a prefix of a piece, and a line should not wait for the next one by chance.
 * So where one of the first bytes of a piece is a new line, two overlapping pieces replace it: one that starts before those bytes
 * and one that starts after the new line.
 */
static void take_piece(const struct cutting *cutting, const struct form *form, size_t start) {
  const char *line_end = start ? memchr(form->text + start, '\n', TELLING_BYTES) : NULL;
  if (!line_end) return take(cutting, form, start, MASK_PIECE_MAX);
  take(cutting, form, start > TELLING_BYTES ? start - TELLING_BYTES : 0, MASK_PIECE_MAX);
  take(cutting, form, line_end + 1 - form->text, MASK_PIECE_MAX);
}

/* Pieces from the start on, the last of them so that it ends where the form does. */
static void cut(const struct cutting *cutting, const struct form *form) {
  if (form->size <= MASK_PIECE_MAX) return take(cutting, form, 0, form->size);
  size_t whole = form->size / MASK_PIECE_MAX, from = 0;
  if (cutting->only_end && whole > PIECES_OF_END) from = whole - PIECES_OF_END;
  for (; from < whole; from++) take_piece(cutting, form, from * MASK_PIECE_MAX);
  take_piece(cutting, form, form->size - MASK_PIECE_MAX);
}

static void cut_lines(struct cutting *cutting, const struct form *form, size_t width) {
  cutting->lines.size = 0;
  for (size_t at = 0; at < form->size; at += width) {
    if (at) put(&cutting->lines, "\n", 1);
    put(&cutting->lines, form->text + at, form->size - at < width ? form->size - at : width);
  }
  cut(cutting, &cutting->lines);
}

static void cut_json(struct cutting *cutting, const struct value *value) {
  static const char letters[] = "\"\\\b\f\n\r\t", names[] = "\"\\bfnrt";
  char escape[8];
  cutting->form.size = 0;
  for (size_t i = 0; i < value->size; i++) {
    uint8_t byte = value->bytes[i];
    const char *letter = byte ? strchr(letters, byte) : NULL;
    if (letter) put(&cutting->form, (char[]){ '\\', names[letter - letters] }, 2);
    else if (byte < ' ') put(&cutting->form, escape, snprintf(escape, sizeof escape, "\\u%04x", byte));
    else put(&cutting->form, (const char *)&byte, 1);
  }
  cut(cutting, &cutting->form);
}

static void cut_hex(struct cutting *cutting, const struct value *value, const char *digits) {
  enum { LINE = 60 };
  cutting->form.size = 0;
  for (size_t i = 0; i < value->size; i++)
    put(&cutting->form, (char[]){ digits[value->bytes[i] >> 4], digits[value->bytes[i] & 15] }, 2);
  cut(cutting, &cutting->form);
  if (digits[10] == 'a') cut_lines(cutting, &cutting->form, LINE);
}

/* Letters and digits stay, and `others`. As a form has it, a space is a plus. */
static void cut_url(struct cutting *cutting, const struct value *value, const char *digits, bool of_form) {
  const char *others = of_form ? "*-._" : "-_.!~*'()";
  cutting->form.size = 0;
  for (size_t i = 0; i < value->size; i++) {
    uint8_t byte = value->bytes[i];
    bool plain = (byte >= '0' && byte <= '9') || ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') || (byte && strchr(others, byte));
    if (plain) put(&cutting->form, (const char *)&byte, 1);
    else if (of_form && byte == ' ') put(&cutting->form, "+", 1);
    else put(&cutting->form, (char[]){ '%', digits[byte >> 4], digits[byte & 15] }, 3);
  }
  cut(cutting, &cutting->form);
}

/*
 * Of base64, the letters that depend on the value alone, where so many bytes stand before it; with `whole`, those too that
 * the end of what was encoded decides.
 */
struct encoding {
  const char *letters;
  size_t before;
  bool whole;
};

static void write_base64(struct form *form, const struct value *value, const struct encoding *encoding) {
  size_t before = encoding->before, after = before + value->size, bits = after * 8;
  size_t end = encoding->whole ? (bits + 5) / 6 : bits / 6;
  form->size = 0;
  for (size_t at = (before * 8 + 5) / 6; at < end; at++) {
    /* The letter's six bits lie in these two bytes, of which those outside the value are 0. */
    size_t byte = at * 6 / 8;
    unsigned two = 0;
    if (byte >= before && byte < after) two = value->bytes[byte - before] << 8;
    if (byte + 1 >= before && byte + 1 < after) two |= value->bytes[byte + 1 - before];
    form->text[form->size++] = encoding->letters[two >> (10 - at * 6 % 8) & 63];
  }
}

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

static void cut_base64(struct cutting *cutting, const struct value *value) {
  static const struct encoding encodings[] = {
    { LETTERS "+/", 0, false }, { LETTERS "+/", 1, false }, { LETTERS "+/", 2, false }, { LETTERS "+/", 0, true },
    { LETTERS "-_", 0, false }, { LETTERS "-_", 1, false }, { LETTERS "-_", 2, false }, { LETTERS "-_", 0, true },
  };
  /* In lines, only as they begin with the value: those of `base64` and of `openssl base64`. */
  enum { BASE64_LINE = 76, OPENSSL_LINE = 64, STANDARD = 4 };
  for (size_t i = 0; i < sizeof encodings / sizeof *encodings; i++) {
    write_base64(&cutting->form, value, &encodings[i]);
    cut(cutting, &cutting->form);
    if (i >= STANDARD || encodings[i].before) continue;
    cut_lines(cutting, &cutting->form, BASE64_LINE);
    cut_lines(cutting, &cutting->form, OPENSSL_LINE);
  }
}

static void cut_forms(struct cutting *cutting, const struct value *value) {
  static const char small[] = "0123456789abcdef", large[] = "0123456789ABCDEF";
  cutting->form.size = 0;
  put(&cutting->form, (const char *)value->bytes, value->size);
  cut(cutting, &cutting->form);
  cut_json(cutting, value);
  cut_base64(cutting, value);
  cut_hex(cutting, value, small);
  cut_hex(cutting, value, large);
  for (int of_form = 0; of_form < 2; of_form++) {
    cut_url(cutting, value, large, of_form);
    cut_url(cutting, value, small, of_form);
  }
}

static struct value without_line_ends(struct value value) {
  while (value.size && (value.bytes[value.size - 1] == '\n' || value.bytes[value.size - 1] == '\r')) value.size--;
  return value;
}

void mask_forms_of(const uint8_t *bytes, size_t size, void (*take)(const uint8_t *piece, size_t size)) {
  struct cutting cutting = { .take = take };
  struct value value = { bytes, size }, read = without_line_ends(value);
  cutting.form.text = malloc(size * LONGEST_FORM);
  cutting.lines.text = malloc(size * LONGEST_FORM);
  if (!cutting.form.text || !cutting.lines.text) shim_fail("mask_memory");
  cut_forms(&cutting, &value);
  cutting.only_end = true;
  if (read.size < size && read.size >= MASK_PIECE_MIN) cut_forms(&cutting, &read);
  explicit_bzero(cutting.form.text, size * LONGEST_FORM);
  explicit_bzero(cutting.lines.text, size * LONGEST_FORM);
  free(cutting.form.text);
  free(cutting.lines.text);
}
