const newLine = 0x0a

/** The limits of native/shim/shim.h. */
const valueBytesMin = 4
export const pieceBytesMax = 32

/**
 * For tests: the pieces that native/shim/log/mask-forms.c searches for, so that no log shows one of `values`: every form in which
 * programs commonly print a value, cut into pieces of at most 32 bytes.
 */
export function maskPieces(values: readonly string[]): Buffer[] {
  const all = values.map((value) => Buffer.from(value, 'utf8'))
  const pieces = new Map<string, Buffer>()
  for (const bytes of all) {
    for (const form of formsOf(bytes)) {
      for (const piece of cut(form)) pieces.set(piece.toString('latin1'), piece)
    }
  }
  return [...pieces.values()]
}

/**
 * Plain, JSON-escaped, base64 and base64url at any offset of the encoded text, hexadecimal, URL-encoded; and the line-wrapped
 * output of common encoders. A shell strips trailing newlines from what it reads.
 */
function formsOf(value: Buffer): Buffer[] {
  const text = value.toString('utf8')
  const read = text.replace(/[\r\n]+$/, '')
  const texts = Buffer.byteLength(read) < valueBytesMin ? [text] : [text, read]
  return [...new Set(texts.flatMap(formsOfText))].map((form) => Buffer.from(form, 'utf8'))
}

function formsOfText(text: string): string[] {
  const bytes = Buffer.from(text, 'utf8')
  const hex = bytes.toString('hex')
  const inUrl = encodeURIComponent(text)
  const inForm = new URLSearchParams([['', text]]).toString().slice(1)
  return [
    text,
    JSON.stringify(text).slice(1, -1),
    ...base64Forms(bytes).flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]),
    hex,
    hex.toUpperCase(),
    ...base64LineLetters.flatMap((width) => [
      inLines(base64Letters(bytes, 0), width),
      inLines(wholeBase64(bytes), width),
    ]),
    inLines(hex, hexLineLetters),
    ...[inUrl, inForm].flatMap((form) => [form, form.replaceAll(/%../g, (code) => code.toLowerCase())]),
  ]
}

/** Line lengths of `base64` and `openssl base64`; below, of `xxd -p`. */
const base64LineLetters = [76, 64]
const hexLineLetters = 60

const inLines = (letters: string, width: number): string =>
  Array.from({ length: Math.ceil(letters.length / width) }, (_, line) =>
    letters.slice(line * width, (line + 1) * width),
  ).join('\n')

const bitsOfByte = 8
const bitsOfLetter = 6

/** For the three offsets of a value in a group of three bytes, and for the value alone. */
const base64Forms = (bytes: Buffer): string[] => [
  ...[0, 1, 2].map((before) => base64Letters(bytes, before)),
  wholeBase64(bytes),
]

const wholeBase64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

/** The letters that depend only on the value, with `before` bytes in front of it. */
function base64Letters(bytes: Buffer, before: number): string {
  const letters = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
  const first = Math.ceil((before * bitsOfByte) / bitsOfLetter)
  const end = Math.floor(((before + bytes.length) * bitsOfByte) / bitsOfLetter)
  return letters.slice(first, end)
}

/**
 * Consecutive pieces; the last one ends at the end of the form. The shim holds back the end of the log while it may be the
 * start of a piece, and a complete line must not wait by chance: if a newline is among the first bytes of a piece, it is
 * replaced by two overlapping ones, which start before those bytes and after the newline.
 */
function cut(form: Buffer): Buffer[] {
  if (form.length <= pieceBytesMax) return [form]
  const whole = Math.floor(form.length / pieceBytesMax)
  const starts = Array.from({ length: whole }, (_, at) => at * pieceBytesMax)
  return [...starts, form.length - pieceBytesMax]
    .flatMap((start) => avoidLineEnd(form, start))
    .map((start) => form.subarray(start, start + pieceBytesMax))
}

/** A line of the log practically never ends in this many bytes of a value by chance. */
const distinctiveBytes = 8

function avoidLineEnd(form: Buffer, start: number): number[] {
  const at = form.subarray(start, start + distinctiveBytes).indexOf(newLine)
  if (start === 0 || at < 0) return [start]
  return [Math.max(0, start - distinctiveBytes), start + at + 1]
}
