import { ExecutorRefused } from '../../port.ts'

/** Of native/shim.h. */
const pieceBytesMin = 4
export const pieceBytesMax = 32

const valuesMax = 100
const valueBytesMin = pieceBytesMin
const valueBytesMax = 64 * 1024
const allBytesMax = 256 * 1024

/**
 * What the shim is to look for, so that no log shows one of `values`: every form that programs commonly print one in, cut
 * into pieces of at most 32 bytes. A longer value is found by its pieces, so also where only a part of it was printed.
 */
export function maskPieces(values: readonly string[]): Buffer[] {
  const all = values.map((value) => Buffer.from(value, 'utf8'))
  const refused = refusalOf(all.map((bytes) => bytes.length))
  if (refused !== undefined) throw new ExecutorRefused(refused, `the values to mask are refused: ${refused}`)
  const pieces = new Map<string, Buffer>()
  for (const bytes of all) {
    for (const form of formsOf(bytes)) {
      for (const piece of cut(form)) pieces.set(piece.toString('latin1'), piece)
    }
  }
  return [...pieces.values()]
}

function refusalOf(lengths: number[]): string | undefined {
  if (lengths.length > valuesMax) return 'mask_values'
  if (lengths.some((length) => length < valueBytesMin)) return 'mask_too_short'
  if (lengths.some((length) => length > valueBytesMax)) return 'mask_too_long'
  return lengths.reduce((sum, length) => sum + length, 0) > allBytesMax ? 'mask_total' : undefined
}

/** Plain, as JSON has it, base64 and base64url wherever the value lies in what was encoded, hexadecimal, URL-encoded. */
function formsOf(bytes: Buffer): Buffer[] {
  const text = bytes.toString('utf8')
  const hex = bytes.toString('hex')
  const inUrl = encodeURIComponent(text)
  const inForm = new URLSearchParams([['', text]]).toString().slice(1)
  const forms = [
    text,
    JSON.stringify(text).slice(1, -1),
    ...base64Forms(bytes).flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]),
    hex,
    hex.toUpperCase(),
    ...[inUrl, inForm].flatMap((form) => [form, form.replaceAll(/%../g, (code) => code.toLowerCase())]),
  ]
  return [...new Set(forms)].map((form) => Buffer.from(form, 'utf8'))
}

const bitsOfByte = 8
const bitsOfLetter = 6

/** The letters that depend on the value alone, for the three places where it can begin in a group of three bytes. */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const letters = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    const first = Math.ceil((before * bitsOfByte) / bitsOfLetter)
    const end = Math.floor(((before + bytes.length) * bitsOfByte) / bitsOfLetter)
    return letters.slice(first, end)
  })
}

/** Pieces from the start on, the last of them so that it ends where the form does. */
function cut(form: Buffer): Buffer[] {
  if (form.length <= pieceBytesMax) return [form]
  const whole = Math.floor(form.length / pieceBytesMax)
  const starts = Array.from({ length: whole }, (_, at) => at * pieceBytesMax)
  return [...starts, form.length - pieceBytesMax].map((start) => form.subarray(start, start + pieceBytesMax))
}
