/**
 * Parser for untrusted JSON: every parser of the accepted text sees the same value.
 *
 * One pass over the text, with an explicit stack, checks the whole grammar of RFC 8259 and the cases that the grammar
 * leaves open; only then does `JSON.parse` build the value, so refused text never costs more than the pass. It
 * refuses bad grammar, and also: invalid UTF-8, a byte order mark, NUL (as a byte or as an escape), a lone surrogate,
 * a duplicate key in one object (compared decoded: `"a"` and `"\u0061"` are one key), the key `__proto__` unless the
 * bounds accept it (harmless here, a trap for code that copies objects), and values beyond the bounds.
 *
 * Numbers: a literal beyond the range of a double (`1e400`) is refused, and so is an integer whose digits a double
 * would change (`9007199254740993`): a job must not silently see another id than was sent. Such values are sent as
 * strings. Fractions are rounded to the nearest double as everywhere; `-0` is accepted and its canonical form is `0`.
 */
export const jsonRefusals = {
  too_large: 'is too large',
  too_deep: 'is nested too deeply',
  too_many_nodes: 'holds too many values',
  not_utf8: 'is not UTF-8',
  byte_order_mark: 'starts with a byte order mark',
  bad_syntax: 'is not JSON',
  not_a_number: 'holds NaN or Infinity, which JSON does not have; write null or a string',
  nul_character: 'holds a NUL character',
  lone_surrogate: 'holds half of a surrogate pair; send whole characters',
  duplicate_key: 'holds an object with the same key twice',
  forbidden_key: 'holds the key __proto__',
  number_out_of_range: 'holds a number that is out of range; send it as a string',
  number_not_exact: 'holds a whole number that would lose digits; send it as a string',
} as const
export type JsonRefusal = keyof typeof jsonRefusals

/** Valid JSON of a value that has no canonical form. */
const withoutCanonicalForm: readonly JsonRefusal[] = [
  'lone_surrogate',
  'number_out_of_range',
  'number_not_exact',
]

export const hasCanonicalForm = ({ slug }: JsonRefused): boolean => !withoutCanonicalForm.includes(slug)

/** Why and where a text was refused: the byte offset and, in `path`, the keys and indexes that lead there. */
export class JsonRefused extends Error {
  readonly slug: JsonRefusal
  readonly at: number
  /** The keys come from the sender, each at most `pathPartMaxLength` long; the message contains none of them. */
  readonly path: (string | number)[]

  constructor(slug: JsonRefusal, at: number, path: (string | number)[] = []) {
    super(`json refused: ${slug} at byte ${at}`)
    this.name = 'JsonRefused'
    this.slug = slug
    this.at = at
    this.path = path
  }
}

const pathPartMaxLength = 128

export interface JsonBounds {
  maxBytes: number
  /** Nesting of arrays and objects: `[[1]]` has depth 2. */
  maxDepth: number
  /** Values of every kind, including containers and excluding keys. */
  maxNodes: number
  /** Accepts `__proto__` as an ordinary key: code that reads the value copies no object by assignment. */
  acceptProto?: boolean
  /**
   * Fields of the outermost object whose text may contain an escaped NUL: their validator refuses it with a message
   * of its own.
   */
  nulFields?: readonly string[]
}

/** Bounds of the input of a run (contract, Limits). */
export const runInputBounds: JsonBounds = {
  maxBytes: 1024 * 1024,
  maxDepth: 64,
  maxNodes: 100_000,
  acceptProto: true,
}

/** Parses `bytes` or throws `JsonRefused`. */
export function parseStrictJson(bytes: Uint8Array, bounds: JsonBounds): unknown {
  if (bytes.length > bounds.maxBytes) throw new JsonRefused('too_large', bounds.maxBytes)
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) throw new JsonRefused('byte_order_mark', 0)
  const text = decoded(bytes)
  scan(text, bounds)
  return JSON.parse(text)
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

function decoded(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new JsonRefused('not_utf8', 0)
  }
}

const END = -1
const TAB = 0x09
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const ZERO = 0x30
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const LETTER_U = 0x75
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

interface Container {
  /** The keys of an open object so far; undefined for an array. */
  keys: Keys | undefined
  /** The key or index that is being read; undefined between two keys. */
  at: string | number | undefined
}

/** The keys of one object. A separate Set for each small object would cost more than the rest of the pass. */
class Keys {
  readonly #few: string[] = []
  #many: Set<string> | undefined

  /** False if the key is already present. */
  add(key: string): boolean {
    if (this.#many ? this.#many.has(key) : this.#few.includes(key)) return false
    if (this.#many) this.#many.add(key)
    else if (this.#few.push(key) > fewKeys) this.#many = new Set(this.#few)
    return true
  }
}
const fewKeys = 8

/** Throws with an offset in bytes; offsets in the pass are in characters. */
function scan(text: string, bounds: JsonBounds): void {
  const open: Container[] = []
  try {
    scanValues(text, bounds, open)
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error
    throw new JsonRefused(error.slug, encoder.encode(text.slice(0, error.at)).length, pathOf(open))
  }
}

function pathOf(open: Container[]): (string | number)[] {
  const path = open.map(({ at }) => (typeof at === 'string' ? at.slice(0, pathPartMaxLength) : at))
  return path.filter((part) => part !== undefined)
}

function scanValues(text: string, bounds: JsonBounds, open: Container[]): void {
  let nodes = 0
  let at = skipSpace(text, 0)
  for (;;) {
    // Start of a value.
    nodes += 1
    if (nodes > bounds.maxNodes) throw new JsonRefused('too_many_nodes', at)
    const first = codeAt(text, at)
    if (first === OPEN_OBJECT || first === OPEN_ARRAY) {
      if (open.length === bounds.maxDepth) throw new JsonRefused('too_deep', at)
      const container: Container =
        first === OPEN_OBJECT ? { keys: new Keys(), at: undefined } : { keys: undefined, at: 0 }
      open.push(container)
      at = skipSpace(text, at + 1)
      if (codeAt(text, at) !== (container.keys ? CLOSE_OBJECT : CLOSE_ARRAY)) {
        at = nextInside(text, at, { container, bounds })
        continue
      }
    } else {
      at = skipSpace(text, scanScalar(text, at, mayHoldNul(open, bounds)))
    }
    // End of a value: close finished containers, then find the next value.
    at = closeContainers(text, at, open)
    if (open.length === 0) break
    if (codeAt(text, at) !== COMMA) throw new JsonRefused('bad_syntax', at)
    at = skipSpace(text, at + 1)
    const container = open.at(-1)
    if (typeof container?.at === 'number') container.at += 1
    if (container) at = nextInside(text, at, { container, bounds })
  }
  if (at !== text.length) throw new JsonRefused('bad_syntax', at)
}

const mayHoldNul = (open: Container[], { nulFields }: JsonBounds): boolean =>
  nulFields !== undefined && open.length === 1 && nulFields.includes(String(open[0]?.at))

/** Start of the next value of an open container. */
function nextInside(text: string, at: number, inside: { container: Container; bounds: JsonBounds }): number {
  const { container, bounds } = inside
  if (!container.keys) return at
  container.at = undefined
  const key = readKey(text, at)
  container.at = key.text
  if (key.text === '__proto__' && !bounds.acceptProto) throw new JsonRefused('forbidden_key', at)
  if (!container.keys.add(key.text)) throw new JsonRefused('duplicate_key', at)
  const colon = skipSpace(text, key.end)
  if (codeAt(text, colon) !== COLON) throw new JsonRefused('bad_syntax', colon)
  return skipSpace(text, colon + 1)
}

function closeContainers(text: string, from: number, open: Container[]): number {
  let at = from
  while (open.length > 0 && codeAt(text, at) === (open.at(-1)?.keys ? CLOSE_OBJECT : CLOSE_ARRAY)) {
    open.pop()
    at = skipSpace(text, at + 1)
  }
  return at
}

/** A UTF-16 code unit, or `END` after the last one. */
const codeAt = (text: string, at: number): number => (at < text.length ? text.charCodeAt(at) : END)

function skipSpace(text: string, from: number): number {
  let at = from
  for (;;) {
    const code = codeAt(text, at)
    if (code !== SPACE && code !== LINE_FEED && code !== CARRIAGE_RETURN && code !== TAB) return at
    at += 1
  }
}

function readKey(text: string, at: number): { text: string; end: number } {
  if (codeAt(text, at) !== QUOTE) throw new JsonRefused('bad_syntax', at)
  const end = scanString(text, at)
  const raw = text.slice(at + 1, end - 1)
  return { text: raw.includes('\\') ? JSON.parse(`"${raw}"`) : raw, end }
}

const words = new Map(['true', 'false', 'null'].map((word) => [word.charCodeAt(0), word]))

function scanScalar(text: string, at: number, nul: boolean): number {
  const first = codeAt(text, at)
  if (first === QUOTE) return scanString(text, at, nul)
  const word = words.get(first)
  if (word === undefined) return scanNumber(text, at)
  if (!text.startsWith(word, at)) throw new JsonRefused('bad_syntax', at)
  return at + word.length
}

const numberLiteral = /^-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/
const nonNumbers = ['NaN', 'Infinity', '-Infinity']
/** An integer of at most this many digits is exact as a double. */
const exactDigits = 15

function scanNumber(text: string, at: number): number {
  let end = at
  while (isDigit(codeAt(text, end))) end += 1
  const isShort = end > at && end - at <= exactDigits && (end === at + 1 || codeAt(text, at) !== ZERO)
  if (isShort && !isNumberCode(codeAt(text, end))) return end
  while (isNumberCode(codeAt(text, end))) end += 1
  // Words that programs print for numbers that JSON has no form for.
  if (nonNumbers.some((word) => text.startsWith(word, at))) throw new JsonRefused('not_a_number', at)
  const literal = text.slice(at, end)
  const match = numberLiteral.exec(literal)
  if (!match) throw new JsonRefused(codeAt(text, at) === 0 ? 'nul_character' : 'bad_syntax', at)
  const value = Number(literal)
  if (!Number.isFinite(value)) throw new JsonRefused('number_out_of_range', at)
  const isInteger = match[1] === undefined && match[2] === undefined
  if (isInteger && !Number.isSafeInteger(value) && String(value) !== literal) {
    throw new JsonRefused('number_not_exact', at)
  }
  return end
}

const isDigit = (code: number): boolean => code >= ZERO && code <= ZERO + 9

/** Digits, `+ - .` and the exponent letter. */
const isNumberCode = (code: number): boolean =>
  isDigit(code) || code === 0x2b || code === 0x2d || code === 0x2e || (code | 0x20) === 0x65

const simpleEscapes = new Set(encoder.encode('"\\/bfnrt'))

/** From the opening quote to after the closing one; with `nul` an escaped NUL is an ordinary character. */
function scanString(text: string, start: number, nul = false): number {
  let at = start + 1
  for (;;) {
    const code = codeAt(text, at)
    if (code === QUOTE) return at + 1
    if (code < SPACE) throw new JsonRefused(code === 0 ? 'nul_character' : 'bad_syntax', at)
    if (code !== BACKSLASH) at += 1
    else if (codeAt(text, at + 1) === LETTER_U) at = scanUnicodeEscape(text, at, nul)
    else if (simpleEscapes.has(codeAt(text, at + 1))) at += 2
    else throw new JsonRefused('bad_syntax', at)
  }
}

function scanUnicodeEscape(text: string, at: number, nul: boolean): number {
  const unit = hexUnit(text, at)
  if (unit === undefined) throw new JsonRefused('bad_syntax', at)
  if (unit === 0 && !nul) throw new JsonRefused('nul_character', at)
  if (unit < 0xd800 || unit > 0xdfff) return at + 6
  const low = unit <= 0xdbff ? hexUnit(text, at + 6) : undefined
  if (low === undefined || low < 0xdc00 || low > 0xdfff) throw new JsonRefused('lone_surrogate', at)
  return at + 12
}

/** The code unit of a `\uXXXX` at `at`, if there is one. */
function hexUnit(text: string, at: number): number | undefined {
  if (codeAt(text, at) !== BACKSLASH || codeAt(text, at + 1) !== LETTER_U) return undefined
  let unit = 0
  for (let digit = at + 2; digit < at + 6; digit += 1) {
    const value = hexValue(codeAt(text, digit))
    if (value === undefined) return undefined
    unit = unit * 16 + value
  }
  return unit
}

function hexValue(code: number): number | undefined {
  if (isDigit(code)) return code - ZERO
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : undefined
}
