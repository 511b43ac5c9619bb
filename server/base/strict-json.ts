import { isUtf8 } from 'node:buffer'

/**
 * JSON from a stranger, read so that every reader of the accepted text sees the same value.
 *
 * One pass over the bytes, with a stack of its own, checks the whole grammar of RFC 8259 and what the grammar
 * leaves open; only then `JSON.parse` makes the value, so a refused text never costs more than the pass.
 * Refused besides bad grammar: invalid UTF-8, a byte order mark, NUL (as a byte or as an escape), half of a
 * surrogate pair, a key that comes twice in one object (compared decoded: `"a"` and `"\u0061"` are one key),
 * the key `__proto__` unless the bounds accept it (harmless here, a trap for code that copies objects), and what
 * exceeds the bounds.
 *
 * Numbers: a literal past the range of a double (`1e400`) is refused, and so is an integer that a double would
 * turn into other digits (`9007199254740993`): a job must not silently see another id than was sent. Such
 * values travel as strings. Fractions are rounded to the nearest double as everywhere; `-0` is accepted and its
 * canonical form is `0`.
 */
export const jsonRefusals = {
  too_large: 'is too large',
  too_deep: 'is nested too deeply',
  too_many_nodes: 'holds too many values',
  not_utf8: 'is not UTF-8',
  byte_order_mark: 'starts with a byte order mark',
  bad_syntax: 'is not JSON',
  nul_character: 'holds a NUL character',
  lone_surrogate: 'holds half of a surrogate pair',
  duplicate_key: 'holds an object with the same key twice',
  forbidden_key: 'holds the key __proto__',
  number_out_of_range: 'holds a number that is out of range',
  number_not_exact: 'holds a whole number that would lose digits; send it as a string',
} as const
export type JsonRefusal = keyof typeof jsonRefusals

/** Why a text was refused and where: the byte offset and, in `path`, the keys and indexes that lead there. */
export class JsonRefused extends Error {
  readonly slug: JsonRefusal
  readonly at: number
  /** Names are the sender's own, each at most `pathPartMaxLength` long; the message holds none of them. */
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
  /** Arrays and objects inside each other: `[[1]]` is 2. */
  maxDepth: number
  /** Values of every kind, containers included, keys not. */
  maxNodes: number
  /** Accept `__proto__` as a key like any other: whoever reads the value copies no object by assignment. */
  acceptProto?: boolean
  /** Fields of the outermost object whose text may hold an escaped NUL: their reader refuses it in its own words. */
  nulFields?: readonly string[]
}

/** Bounds of a run's input (contract, Limits). */
export const runInputBounds: JsonBounds = {
  maxBytes: 1024 * 1024,
  maxDepth: 64,
  maxNodes: 100_000,
  acceptProto: true,
}

/** Parses `bytes` or throws `JsonRefused`. */
export function parseStrictJson(bytes: Buffer, bounds: JsonBounds): unknown {
  if (bytes.length > bounds.maxBytes) throw new JsonRefused('too_large', bounds.maxBytes)
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) throw new JsonRefused('byte_order_mark', 0)
  if (!isUtf8(bytes)) throw new JsonRefused('not_utf8', 0)
  scan(bytes, bounds)
  return JSON.parse(bytes.toString('utf8'))
}

const TAB = 0x09
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const LETTER_U = 0x75
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

interface Container {
  /** The keys seen so far of an open object; undefined for an array. */
  keys: Set<string> | undefined
  /** The key or the index that is being read; undefined between two keys. */
  at: string | number | undefined
}

function scan(bytes: Buffer, bounds: JsonBounds): void {
  const open: Container[] = []
  try {
    scanValues(bytes, bounds, open)
  } catch (error) {
    if (error instanceof JsonRefused) throw new JsonRefused(error.slug, error.at, pathOf(open))
    throw error
  }
}

function pathOf(open: Container[]): (string | number)[] {
  const path = open.map(({ at }) => (typeof at === 'string' ? at.slice(0, pathPartMaxLength) : at))
  return path.filter((part) => part !== undefined)
}

function scanValues(bytes: Buffer, bounds: JsonBounds, open: Container[]): void {
  let nodes = 0
  let at = skipSpace(bytes, 0)
  for (;;) {
    // A value starts here.
    nodes += 1
    if (nodes > bounds.maxNodes) throw new JsonRefused('too_many_nodes', at)
    const first = bytes[at]
    if (first === OPEN_OBJECT || first === OPEN_ARRAY) {
      if (open.length === bounds.maxDepth) throw new JsonRefused('too_deep', at)
      const container: Container =
        first === OPEN_OBJECT ? { keys: new Set(), at: undefined } : { keys: undefined, at: 0 }
      open.push(container)
      at = skipSpace(bytes, at + 1)
      if (bytes[at] !== (container.keys ? CLOSE_OBJECT : CLOSE_ARRAY)) {
        at = nextInside(bytes, at, { container, bounds })
        continue
      }
    } else {
      at = skipSpace(bytes, scanScalar(bytes, at, mayHoldNul(open, bounds)))
    }
    // A value has ended: close what closes, then find the next value.
    at = closeContainers(bytes, at, open)
    if (open.length === 0) break
    if (bytes[at] !== COMMA) throw new JsonRefused('bad_syntax', at)
    at = skipSpace(bytes, at + 1)
    const container = open.at(-1)
    if (typeof container?.at === 'number') container.at += 1
    if (container) at = nextInside(bytes, at, { container, bounds })
  }
  if (at !== bytes.length) throw new JsonRefused('bad_syntax', at)
}

const mayHoldNul = (open: Container[], { nulFields }: JsonBounds): boolean =>
  nulFields !== undefined && open.length === 1 && nulFields.includes(String(open[0]?.at))

/** Where the next value of an open container starts. */
function nextInside(bytes: Buffer, at: number, inside: { container: Container; bounds: JsonBounds }): number {
  const { container, bounds } = inside
  if (!container.keys) return at
  container.at = undefined
  const key = readKey(bytes, at)
  container.at = key.text
  if (key.text === '__proto__' && !bounds.acceptProto) throw new JsonRefused('forbidden_key', at)
  if (container.keys.has(key.text)) throw new JsonRefused('duplicate_key', at)
  container.keys.add(key.text)
  const colon = skipSpace(bytes, key.end)
  if (bytes[colon] !== COLON) throw new JsonRefused('bad_syntax', colon)
  return skipSpace(bytes, colon + 1)
}

function closeContainers(bytes: Buffer, from: number, open: Container[]): number {
  let at = from
  while (open.length > 0 && bytes[at] === (open.at(-1)?.keys ? CLOSE_OBJECT : CLOSE_ARRAY)) {
    open.pop()
    at = skipSpace(bytes, at + 1)
  }
  return at
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from
  for (;;) {
    const byte = bytes[at]
    if (byte !== SPACE && byte !== LINE_FEED && byte !== CARRIAGE_RETURN && byte !== TAB) return at
    at += 1
  }
}

function readKey(bytes: Buffer, at: number): { text: string; end: number } {
  if (bytes[at] !== QUOTE) throw new JsonRefused('bad_syntax', at)
  const end = scanString(bytes, at)
  const raw = bytes.toString('utf8', at + 1, end - 1)
  return { text: raw.includes('\\') ? JSON.parse(`"${raw}"`) : raw, end }
}

const words = new Map<number | undefined, string>(
  ['true', 'false', 'null'].map((word) => [word.charCodeAt(0), word]),
)

function scanScalar(bytes: Buffer, at: number, nul: boolean): number {
  if (bytes[at] === QUOTE) return scanString(bytes, at, nul)
  const word = words.get(bytes[at])
  if (word === undefined) return scanNumber(bytes, at)
  const end = at + word.length
  if (bytes.toString('latin1', at, end) !== word) throw new JsonRefused('bad_syntax', at)
  return end
}

const numberLiteral = /^-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/

function scanNumber(bytes: Buffer, at: number): number {
  let end = at
  while (isNumberByte(bytes[end])) end += 1
  const literal = bytes.toString('latin1', at, end)
  const match = numberLiteral.exec(literal)
  if (!match) throw new JsonRefused(bytes[at] === 0 ? 'nul_character' : 'bad_syntax', at)
  const value = Number(literal)
  if (!Number.isFinite(value)) throw new JsonRefused('number_out_of_range', at)
  const isInteger = match[1] === undefined && match[2] === undefined
  if (isInteger && !Number.isSafeInteger(value) && String(value) !== literal) {
    throw new JsonRefused('number_not_exact', at)
  }
  return end
}

/** Digits, `+ - .` and the exponent's letter. */
const isNumberByte = (byte: number | undefined): boolean =>
  byte !== undefined &&
  ((byte >= 0x30 && byte <= 0x39) ||
    byte === 0x2b ||
    byte === 0x2d ||
    byte === 0x2e ||
    (byte | 0x20) === 0x65)

const simpleEscapes = new Set(Buffer.from('"\\/bfnrt'))

/** From the opening quote to behind the closing one; with `nul` an escaped NUL is a character like others. */
function scanString(bytes: Buffer, start: number, nul = false): number {
  let at = start + 1
  for (;;) {
    const byte = bytes[at]
    if (byte === QUOTE) return at + 1
    if (byte === undefined) throw new JsonRefused('bad_syntax', at)
    if (byte < SPACE) throw new JsonRefused(byte === 0 ? 'nul_character' : 'bad_syntax', at)
    if (byte !== BACKSLASH) at += 1
    else if (bytes[at + 1] === LETTER_U) at = scanUnicodeEscape(bytes, at, nul)
    else if (simpleEscapes.has(bytes[at + 1] ?? 0)) at += 2
    else throw new JsonRefused('bad_syntax', at)
  }
}

function scanUnicodeEscape(bytes: Buffer, at: number, nul: boolean): number {
  const unit = hexUnit(bytes, at)
  if (unit === undefined) throw new JsonRefused('bad_syntax', at)
  if (unit === 0 && !nul) throw new JsonRefused('nul_character', at)
  if (unit < 0xd800 || unit > 0xdfff) return at + 6
  const low = unit <= 0xdbff ? hexUnit(bytes, at + 6) : undefined
  if (low === undefined || low < 0xdc00 || low > 0xdfff) throw new JsonRefused('lone_surrogate', at)
  return at + 12
}

/** The code unit of a `\uXXXX` at `at`, if there is one. */
function hexUnit(bytes: Buffer, at: number): number | undefined {
  const text = bytes.toString('latin1', at, at + 6)
  return /^\\u[0-9a-fA-F]{4}$/.test(text) ? Number.parseInt(text.slice(2), 16) : undefined
}
