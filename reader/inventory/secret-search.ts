import type { ContentReader } from './content-reader.ts'
import type { ObservationRule } from './inventory.ts'
import type { InventoryMaker } from './inventory-maker.ts'
import { alphabets, type TokenPattern, tokenPatterns } from './secret-patterns.ts'

/** Longer than any pattern, so that a secret across two chunks is found in the second. */
const overlapBytes = 512

/**
 * Searches streamed text for private keys and tokens. Reports the kind of a secret and the path,
 * never a byte of the content.
 */
export class SecretSearch implements ContentReader {
  readonly #path: string
  readonly #maker: InventoryMaker
  readonly #found = new Set<ObservationRule>()
  #tail = ''
  /** False after a NUL: in binary files random bytes match patterns. */
  #isText = true

  constructor(path: string, maker: InventoryMaker) {
    this.#path = path
    this.#maker = maker
  }

  write(chunk: Buffer): void {
    this.#isText &&= !chunk.includes(0)
    if (!this.#isText) return
    const window = this.#tail + chunk.toString('latin1')
    for (const rule of secretsIn(window)) this.#found.add(rule)
    this.#tail = window.slice(-overlapBytes)
  }

  end(): void {
    if (!this.#isText) return
    for (const rule of this.#found) this.#maker.addObservation({ rule, path: this.#path })
  }
}

const keyStart = '-----BEGIN '
const urlStart = 'https://'
const patternsByPrefix = new Map(tokenPatterns.map((pattern) => [pattern.prefix, pattern]))

/**
 * Matches the start of a possible secret. Fixed texts without repetition, so each character is visited once. The text
 * after a start is then checked up to a bounded length.
 */
const secretStarts = new RegExp([...patternsByPrefix.keys(), keyStart, urlStart].join('|'), 'g')

/** Kinds of secret in a piece of text, a character for each byte. */
export function secretsIn(text: string): Set<ObservationRule> {
  const found = new Set<ObservationRule>()
  secretStarts.lastIndex = 0
  for (let match = secretStarts.exec(text); match; match = secretStarts.exec(text)) {
    const [prefix] = match
    const from = secretStarts.lastIndex
    const pattern = patternsByPrefix.get(prefix)
    if (pattern) {
      const length = runLength(text, from, alphabets[pattern.alphabet], pattern.max + 1)
      if (isToken(text, { start: match.index, from, length }, pattern)) found.add(pattern.rule)
      // A token cannot start inside a word, so the run is skipped and nothing is visited twice.
      secretStarts.lastIndex = from + length
    } else if (prefix === keyStart) {
      if (isPrivateKey(text, from)) found.add('private_key')
    } else if (isUrlWithPassword(text, from)) {
      found.add('url_with_password')
    }
  }
  return found
}

function runLength(text: string, from: number, alphabet: Uint8Array, max: number): number {
  let length = 0
  // Past the end of the text the code is NaN, which is in no alphabet.
  while (length < max && alphabet[text.charCodeAt(from + length)] === 1) length += 1
  return length
}

const isIn = (alphabet: Uint8Array, text: string, at: number): boolean =>
  runLength(text, at, alphabet, 1) === 1

interface Run {
  start: number
  from: number
  length: number
}

/** Refuses a match in the middle of a longer word, and examples from documentation (`EXAMPLE`). */
function isToken(text: string, { start, from, length }: Run, { min, max }: TokenPattern): boolean {
  const isWhole = length >= min && length <= max && !isIn(alphabets.token, text, start - 1)
  return isWhole && !text.slice(from, from + length).includes('EXAMPLE')
}

const keyEnds = ['PRIVATE KEY-----', 'PRIVATE KEY BLOCK-----']
const maxLabelLength = 16
const minKeyLine = 40

/** The first line of a PEM or PGP key with a line of key data after it. Programs contain the first line alone. */
function isPrivateKey(text: string, from: number): boolean {
  const label = text.slice(from, from + maxLabelLength + 22)
  return keyEnds.some((end) => {
    const where = label.indexOf(end)
    return where !== -1 && where <= maxLabelLength && isKeyBody(text, from + where + end.length)
  })
}

// JSON and settings files have escaped line ends.
const lineEnd = /(?:\\r\\n|\\n|\r?\n){1,2}/y

function isKeyBody(text: string, from: number): boolean {
  lineEnd.lastIndex = from
  if (!lineEnd.test(text)) return false
  const start = lineEnd.lastIndex
  if (text.startsWith('Proc-Type:', start) || text.startsWith('Version:', start)) return true
  return runLength(text, start, alphabets.base64, minKeyLine) === minKeyLine
}

const maxUrlPartLength = 128
const minPasswordLength = 8

/** `https://user:password@host`, as in the settings of package managers and Git. */
function isUrlWithPassword(text: string, from: number): boolean {
  const user = runLength(text, from, alphabets.urlPart, maxUrlPartLength)
  if (user === 0 || text[from + user] !== ':') return false
  const passwordAt = from + user + 1
  const password = runLength(text, passwordAt, alphabets.urlPart, maxUrlPartLength)
  const hostAt = passwordAt + password + 1
  return (
    password >= minPasswordLength && text[hostAt - 1] === '@' && isIn(alphabets.alphanumeric, text, hostAt)
  )
}
