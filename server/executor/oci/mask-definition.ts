const newLine = 0x0a

/** Of native/shim.h. */
const valueBytesMin = 4
export const pieceBytesMax = 32

/**
 * For tests: what native/mask-forms.c looks for, so that no log shows one of `values`. Every form that programs commonly
 * print one in, cut into pieces of at most 32 bytes.
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
 * Plain, as JSON has it, base64 and base64url wherever the value lies in what was encoded, hexadecimal, URL-encoded; and
 * in lines, as programs break what they encode. A shell takes the new lines off the end of what it reads.
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

/** Of `base64` and of `openssl base64`; of `xxd -p`. */
const base64LineLetters = [76, 64]
const hexLineLetters = 60

const inLines = (letters: string, width: number): string =>
  Array.from({ length: Math.ceil(letters.length / width) }, (_, line) =>
    letters.slice(line * width, (line + 1) * width),
  ).join('\n')

const bitsOfByte = 8
const bitsOfLetter = 6

/** For the three places where a value can begin in a group of three bytes, and alone. */
const base64Forms = (bytes: Buffer): string[] => [
  ...[0, 1, 2].map((before) => base64Letters(bytes, before)),
  wholeBase64(bytes),
]

const wholeBase64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

/** The letters that depend on the value alone, where so many bytes stand before it. */
function base64Letters(bytes: Buffer, before: number): string {
  const letters = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
  const first = Math.ceil((before * bitsOfByte) / bitsOfLetter)
  const end = Math.floor(((before + bytes.length) * bitsOfByte) / bitsOfLetter)
  return letters.slice(first, end)
}

/**
 * Pieces from the start on, the last of them so that it ends where the form does. The shim keeps the end of the log back
 * for as long as it may be the beginning of a piece, and no line shall wait for the next one by chance: where a new line
 * stands among the first bytes of a piece, two that overlap are taken, one from before those bytes and one from behind it.
 */
function cut(form: Buffer): Buffer[] {
  if (form.length <= pieceBytesMax) return [form]
  const whole = Math.floor(form.length / pieceBytesMax)
  const starts = Array.from({ length: whole }, (_, at) => at * pieceBytesMax)
  return [...starts, form.length - pieceBytesMax]
    .flatMap((start) => clearOfLineEnds(form, start))
    .map((start) => form.subarray(start, start + pieceBytesMax))
}

/** A line of the log ends like this many bytes of a value by chance about never. */
const tellingBytes = 8

function clearOfLineEnds(form: Buffer, start: number): number[] {
  const at = form.subarray(start, start + tellingBytes).indexOf(newLine)
  if (start === 0 || at < 0) return [start]
  return [Math.max(0, start - tellingBytes), start + at + 1]
}
