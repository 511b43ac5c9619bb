/** What a pattern is made of, as far as it can be followed without going back. */
export type Node =
  /** One code point; `source` is the piece of the pattern that tells which. */
  | { kind: 'one'; source: string }
  | { kind: 'at'; place: Place }
  | { kind: 'row'; parts: Node[] }
  | { kind: 'choice'; ways: Node[] }
  | { kind: 'repeat'; part: Node; min: number; max: number }

export type Place = 'start' | 'end' | 'boundary' | 'inside'

const places: Partial<Record<string, Place>> = {
  '^': 'start',
  $: 'end',
  '\\b': 'boundary',
  '\\B': 'inside',
}

/** Pieces that stand for one code point, the longest first: a surrogate pair of escapes is one. */
const one =
  /\[(?:[^\]\\]|\\.)*\]|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u\{[^}]+\}|\\u[0-9a-fA-F]{4}|\\x..|\\c.|\\[pP]\{[^}]+\}|\\[^1-9kbBpPux]|[^\\()[\]{}|*+?^$]/suy
const quantifier = /([*+?]|\{(\d+)(,(\d*))?\})\??/y
/** Of a group that does nothing but hold together: plain, not captured, named. */
const groupOpening = /\((?:\?:|\?<(?![=!])[^>]*>|(?!\?))/y

/**
 * Reads the source of a regular expression with the flag `u` that the engine has accepted. Undefined for what looks
 * around or back to a group: nobody can tell in linear time what that matches.
 */
export function parsePattern(source: string): Node | undefined {
  const reader = new Reader(source)
  const node = reader.choice()
  return reader.isAtEnd ? node : undefined
}

/** Stops at the first thing that it does not know. */
class Reader {
  readonly #source: string
  #at = 0

  constructor(source: string) {
    this.#source = source
  }

  get isAtEnd(): boolean {
    return this.#at === this.#source.length
  }

  choice(): Node {
    const ways = [this.#row()]
    while (this.#source[this.#at] === '|') {
      this.#at += 1
      ways.push(this.#row())
    }
    return { kind: 'choice', ways }
  }

  #row(): Node {
    const parts: Node[] = []
    for (let part = this.#part(); part; part = this.#part()) parts.push(this.#repeated(part))
    return { kind: 'row', parts }
  }

  #part(): Node | undefined {
    const place = places[this.#source[this.#at] ?? ''] ?? places[this.#source.slice(this.#at, this.#at + 2)]
    if (place) {
      this.#at += /[\^$]/.test(this.#source[this.#at] ?? '') ? 1 : 2
      return { kind: 'at', place }
    }
    const [source] = this.#take(one) ?? []
    if (source !== undefined) return { kind: 'one', source }
    if (!this.#take(groupOpening)) return undefined
    const group = this.choice()
    // Where a group holds what is not known, this stands there and not at its end.
    if (this.#source[this.#at] !== ')') return undefined
    this.#at += 1
    return group
  }

  #repeated(part: Node): Node {
    const [, sign = '', least, range, most] = this.#take(quantifier) ?? []
    if (sign === '') return part
    if (sign === '*') return { kind: 'repeat', part, min: 0, max: Infinity }
    if (sign === '+') return { kind: 'repeat', part, min: 1, max: Infinity }
    if (sign === '?') return { kind: 'repeat', part, min: 0, max: 1 }
    const min = Number(least)
    return { kind: 'repeat', part, min, max: range === undefined ? min : Number(most || Infinity) }
  }

  #take(form: RegExp): RegExpExecArray | null {
    form.lastIndex = this.#at
    const found = form.exec(this.#source)
    if (found) this.#at = form.lastIndex
    return found
  }
}
