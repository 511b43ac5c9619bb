/** Syntax tree of a pattern, for the constructs that need no backtracking. */
export type Node =
  /** One code point; `source` is the part of the pattern that matches it. */
  | { kind: 'one'; source: string }
  | { kind: 'at'; place: Anchor }
  | { kind: 'row'; parts: Node[] }
  | { kind: 'choice'; ways: Node[] }
  | { kind: 'repeat'; part: Node; min: number; max: number }

export type Anchor = 'start' | 'end' | 'boundary' | 'inside'

const anchors: Partial<Record<string, Anchor>> = {
  '^': 'start',
  $: 'end',
  '\\b': 'boundary',
  '\\B': 'inside',
}

/** Parts of a pattern that match one code point, the longest first: a surrogate pair of escapes is one. */
const one =
  /\[(?:[^\]\\]|\\.)*\]|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u\{[^}]+\}|\\u[0-9a-fA-F]{4}|\\x..|\\c.|\\[pP]\{[^}]+\}|\\[^1-9kbBpPux]|[^\\()[\]{}|*+?^$]/suy
const quantifier = /([*+?]|\{(\d+)(,(\d*))?\})\??/y
/** Opening of a group without other effect: plain, non-capturing or named. */
const groupOpening = /\((?:\?:|\?<(?![=!])[^>]*>|(?!\?))/y

/**
 * Parses the source of a regular expression with the flag `u` that the engine has accepted. Undefined for lookaround
 * and backreferences, which cannot be matched in linear time.
 */
export function parsePattern(source: string): Node | undefined {
  const reader = new Reader(source)
  const node = reader.choice()
  return reader.isAtEnd ? node : undefined
}

/** Stops at the first unknown construct. */
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
    const anchor =
      anchors[this.#source[this.#at] ?? ''] ?? anchors[this.#source.slice(this.#at, this.#at + 2)]
    if (anchor) {
      this.#at += /[\^$]/.test(this.#source[this.#at] ?? '') ? 1 : 2
      return { kind: 'at', place: anchor }
    }
    const [source] = this.#take(one) ?? []
    if (source !== undefined) return { kind: 'one', source }
    if (!this.#take(groupOpening)) return undefined
    const group = this.choice()
    // After an unknown construct in the group, the position is not at its end.
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
