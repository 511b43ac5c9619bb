/*
 * One pattern of an ignore file, as BuildKit reads it (moby/patternmatcher 0.6): `*` and `?` match no slash, `**` any number of
 * folders, also none, and a class may match a slash. A pattern with no more than one `**`, at its start or its end, is a
 * suffix or a prefix of paths. Matching takes time in proportion to the length of the path times that of the pattern.
 */

export interface IgnorePattern {
  /** True for a pattern after `!`: what it matches is not ignored. */
  isException: boolean
  matches: (path: string) => boolean
}

/** A part of a pattern: a character, or any number of them. `folders` is a path that ends with a slash, or nothing. */
type Token = { isText: boolean; takes: (character: string) => boolean } | 'star' | 'everything' | 'folders'

/** Undefined for a malformed pattern. */
export function parsePattern(text: string, isException: boolean): IgnorePattern | undefined {
  const tokens = tokensOf(text)
  return tokens && { isException, matches: matcherOf(text, tokens) }
}

function matcherOf(text: string, tokens: Token[]): (path: string) => boolean {
  const wild = tokens.filter((token) => typeof token === 'string' || !token.isText)
  if (wild.length === 0) return (path) => path === text
  const isOnlyDeep = wild.length === 1 && (wild[0] === 'everything' || wild[0] === 'folders')
  if (isOnlyDeep && text.startsWith('**')) {
    const suffix = text.slice(2)
    return (path) => path.endsWith(suffix) || (suffix.startsWith('/') && path === suffix.slice(1))
  }
  if (isOnlyDeep && text.endsWith('**')) return (path) => path.startsWith(text.slice(0, -2))
  return (path) => matchesTokens(tokens, path)
}

function tokensOf(text: string): Token[] | undefined {
  const tokens: Token[] = []
  const characters = [...text]
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? ''
    if (character === '*' && characters[at + 1] === '*') {
      // `**/` is the same as `**`.
      at += characters[at + 2] === '/' ? 2 : 1
      tokens.push(at + 1 === characters.length ? 'everything' : 'folders')
    } else if (character === '*') tokens.push('star')
    else if (character === '?') tokens.push({ isText: false, takes: (other) => other !== '/' })
    else if (character === '[') {
      const found = classAt(characters, at)
      if (!found) return undefined
      tokens.push(found.token)
      at = found.end
    } else if (character === '\\') {
      at += 1
      const escaped = characters[at]
      if (escaped === undefined) return undefined
      tokens.push({ isText: false, takes: (other) => other === escaped })
    } else tokens.push({ isText: true, takes: (other) => other === character })
  }
  return tokens
}

/** The class of characters that starts at `start`, and the position of its end. */
function classAt(characters: string[], start: number): { token: Token; end: number } | undefined {
  const isNegated = characters[start + 1] === '^'
  const ranges: [low: string, high: string][] = []
  let at = start + (isNegated ? 2 : 1)
  while (characters[at] !== ']' || ranges.length === 0) {
    const low = memberAt(characters, at)
    if (!low) return undefined
    const isRange = characters[low.end] === '-'
    const high = isRange ? memberAt(characters, low.end + 1) : low
    if (!high) return undefined
    ranges.push([low.member, high.member])
    at = high.end
  }
  const isIn = (character: string) => ranges.some(([low, high]) => isBetween(character, low, high))
  return { token: { isText: false, takes: (character) => isIn(character) !== isNegated }, end: at }
}

/** A character of a class; only after a backslash it may be `-` or `]`. */
function memberAt(characters: string[], at: number): { member: string; end: number } | undefined {
  const isEscaped = characters[at] === '\\'
  const member = characters[isEscaped ? at + 1 : at]
  if (member === undefined || (!isEscaped && /[\]-]/.test(member))) return undefined
  return { member, end: at + (isEscaped ? 2 : 1) }
}

const isBetween = (character: string, low: string, high: string): boolean => {
  const code = character.codePointAt(0) ?? 0
  return code >= (low.codePointAt(0) ?? 0) && code <= (high.codePointAt(0) ?? 0)
}

/** Follows all readings of the path at once. A position is before the token of that index, or inside of its `folders`. */
function matchesTokens(tokens: Token[], path: string): boolean {
  let positions = new Set<number>()
  let inFolders = new Set<number>()
  reach(tokens, 0, positions)
  for (const character of path) {
    const next = new Set<number>()
    const nextInFolders = new Set<number>(inFolders)
    for (const at of positions) {
      const token = tokens[at]
      if (token === 'everything' || (token === 'star' && character !== '/')) reach(tokens, at, next)
      else if (token === 'folders') nextInFolders.add(at)
      else if (typeof token === 'object' && token.takes(character)) reach(tokens, at + 1, next)
    }
    if (character === '/') for (const at of nextInFolders) reach(tokens, at + 1, next)
    if (next.size + nextInFolders.size === 0) return false
    positions = next
    inFolders = nextInFolders
  }
  return positions.has(tokens.length)
}

/** Adds a position, and those after the tokens that may stand for nothing. */
function reach(tokens: Token[], from: number, positions: Set<number>): void {
  let at = from
  positions.add(at)
  while (typeof tokens[at] === 'string') {
    at += 1
    positions.add(at)
  }
}
