import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import {
  applyCode,
  applySgr,
  areEqual,
  type Graphics,
  isPlain,
  parametersMaxLength,
  plainGraphics,
} from './sgr.ts'

/*
 * A line of a log as a terminal shows it: without escape sequences, and from its last carriage return on. The text of a log
 * is hostile: a line has a bounded number of spans, and no character in it changes what is around it.
 */

/** Text of one look. Without `graphics` it is plain. */
export interface Span {
  text: string
  graphics?: Graphics
}

export const spansMax = 512

const ESC = 0x1b
const LEFT_BRACKET = 0x5b
const LETTER_M = 0x6d
const DIGIT_ZERO = 0x30

/**
 * Any sequence: CSI with its parameters and final byte; a string such as a title or a link, which the end of the line or another
 * escape ends too; and escapes of one character.
 */
const sequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are made of them
  /\u001b(?:\[([0-?]*)([ -/]*)([@-~])|[\]PX^_][^\n\u0007\u0018\u001a\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~]|)/g
const sgrParameters = /^[0-9;:]*$/

/** The spans of a line, and in `graphics` the look of what follows it. */
export function spansOf(line: string, graphics: Graphics): Span[] {
  let spans: Span[] = []
  const add = (raw: string) => {
    const restart = raw.lastIndexOf('\r')
    if (restart >= 0) spans = []
    const text = plainText(raw.slice(restart + 1))
    if (text === '') return
    const last = spans.at(-1)
    const isSame = last !== undefined && areEqual(last.graphics ?? plainGraphics, graphics)
    if (last !== undefined && (isSame || spans.length >= spansMax)) last.text += text
    else spans.push(isPlain(graphics) ? { text } : { text, graphics: { ...graphics } })
  }
  const whole = withoutLineEnd(line)
  let from = 0
  for (const { 0: found, 1: parameters, 2: between, 3: final, index } of whole.matchAll(sequence)) {
    add(whole.slice(from, index))
    from = index + found.length
    if (final === 'm' && between === '' && sgrParameters.test(parameters ?? '')) {
      applySgr(graphics, parameters ?? '')
    }
  }
  add(whole.slice(from))
  return spans
}

const withoutLineEnd = (line: string): string => line.replace(/\r+$/, '')

export const textOf = (spans: readonly Span[]): string => spans.map(({ text }) => text).join('')

/** Text of many lines, each as it is shown; characters that are replaced when shown still stand. */
export const shownText = (lines: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these change which text is shown
  /[\r\u001b]/.test(lines) ? lines.replace(sequence, '').replace(/\r+$/gm, '').replace(/^.*\r/gm, '') : lines

/** Applies the sequences of colour in the bytes `from` to `to` to `graphics`. */
export function applyBytes(
  bytes: Uint8Array,
  [from, to]: readonly [number, number],
  graphics: Graphics,
): void {
  // Beyond `to` there may be a whole log without a sequence.
  const searched = bytes.subarray(0, to)
  for (let at = searched.indexOf(ESC, from); at >= 0; at = searched.indexOf(ESC, at + 1)) {
    if (bytes[at + 1] !== LEFT_BRACKET) continue
    let end = at + 2
    let code = 0
    while (end < to && isDigit(bytes[end])) {
      code = code * 10 + (bytes[end] ?? 0) - DIGIT_ZERO
      end += 1
    }
    // Most sequences are one code. A log can have millions of them.
    if (end < to && bytes[end] === LETTER_M && end - at < simpleLength) applyCode(graphics, code)
    else applyLong(bytes, [at + 2, to], graphics)
  }
}

const simpleLength = 8

function applyLong(bytes: Uint8Array, [from, to]: readonly [number, number], graphics: Graphics): void {
  let end = from
  while (end < to && isParameter(bytes[end])) end += 1
  const isSgr = end < to && bytes[end] === LETTER_M && end - from <= parametersMaxLength
  if (isSgr) applySgr(graphics, String.fromCharCode(...bytes.subarray(from, end)))
}

const isDigit = (byte: number | undefined): boolean =>
  byte !== undefined && byte >= DIGIT_ZERO && byte <= 0x39

/** A digit, `:` or `;`. */
const isParameter = (byte: number | undefined): boolean =>
  byte !== undefined && byte >= DIGIT_ZERO && byte <= 0x3b
