import type { Token } from './sql-tokens.ts'

/** A source that a query reads from or changes. */
export interface Source {
  /** Empty for a query in parentheses. */
  name: string
  alias: string
  /** Whether it is a table, not a function or another query. */
  isTable: boolean
  /** Index of its token. */
  at: number
  query: Token[] | undefined
  /** True once its rows are known to be of a company that the statement has bound. */
  bound: boolean
}

const beginsQuery = new Set<Token>(['select', 'with', 'update', 'delete', 'insert', 'values'])
const joiners = new Set<Token>(['from', 'join', 'using', 'update', ','])
const notAlias =
  /^(where|group|order|having|limit|offset|for|returning|set|on|using|join|inner|left|right|full|cross|natural|union|tablesample|fetch|window)$/

export const isQuery = (token: Token | undefined): token is Token[] =>
  Array.isArray(token) && token[0] !== undefined && beginsQuery.has(token[0])

/**
 * Groups that are not queries are flattened into the tokens, between their parentheses; a `from` in them starts no
 * sources.
 */
export const flattened = (tokens: readonly Token[], depth = 0): Token[] =>
  tokens.flatMap((token): Token[] => {
    if (Array.isArray(token) && !isQuery(token)) return ['(', ...flattened(token, depth + 1), ')']
    return [depth > 0 && token === 'from' ? 'of' : token]
  })

/** The parts of a query between `union` and similar operators. */
export function partsOf(tokens: readonly Token[]): Token[][] {
  const parts: Token[][] = [[]]
  for (const token of tokens) {
    if (token === 'union' || token === 'intersect' || token === 'except') parts.push([])
    else parts.at(-1)?.push(token)
  }
  return parts
}

/** The queries of a leading `with` by name, and the remaining statement. */
export function withoutWith(tokens: Token[]): { named: [string, Token[]][]; body: Token[] } {
  if (tokens[0] !== 'with') return { named: [], body: tokens }
  const named: [string, Token[]][] = []
  let name = ''
  for (const [at, token] of tokens.entries()) {
    if (at > 0 && beginsQuery.has(token)) return { named, body: tokens.slice(at) }
    const next = Array.isArray(tokens[at + 1]) ? tokens[at + 2] : tokens[at + 1]
    if (typeof token === 'string' && next === 'as') name = token
    if (isQuery(token)) named.push([name, token])
  }
  return { named, body: [] }
}

/** The tables, functions and queries that a flattened query reads from or changes. */
export function sourcesOf(tokens: readonly Token[], named: ReadonlyMap<string, boolean>): Source[] {
  const sources: Source[] = []
  let end = -1
  for (const [at, token] of tokens.entries()) {
    if (!joiners.has(token) || !isJoiner(tokens, at, end)) continue
    const { source, next } = sourceAt(tokens, at + 1, named)
    sources.push(source)
    end = next
  }
  return sources
}

function isJoiner(tokens: readonly Token[], at: number, end: number): boolean {
  const before = tokens[at - 1]
  if (tokens[at] === ',') return at === end
  if (tokens[at] === 'from') return before !== 'distinct'
  if (tokens[at] === 'using') return tokens[at + 1] !== '('
  if (tokens[at] === 'update') return at === 0
  return true
}

function sourceAt(
  tokens: readonly Token[],
  begin: number,
  named: ReadonlyMap<string, boolean>,
): { source: Source; next: number } {
  let at = begin
  while (tokens[at] === 'lateral' || tokens[at] === 'only') at += 1
  const first = tokens[at]
  const query = isQuery(first) ? first : undefined
  if (tokens[at + 1] === '.') at += 2
  const name = query ? '' : String(tokens[at])
  const isFunction = tokens[at + 1] === '('
  at = afterGroup(tokens, at + 1)
  if (tokens[at] === 'with' && tokens[at + 1] === 'ordinality') at += 2
  if (tokens[at] === 'as') at += 1
  const word = tokens[at]
  const hasAlias = typeof word === 'string' && /^[a-z_]/.test(word) && !notAlias.test(word)
  if (hasAlias) at = afterGroup(tokens, at + 1)
  const isTable = !query && !isFunction && !named.has(name)
  const alias = hasAlias ? String(word) : name
  return { source: { name, alias, isTable, at: begin, query, bound: named.get(name) ?? false }, next: at }
}

/** Index after the parentheses that open at `begin`, or `begin` if none do. */
export function afterGroup(tokens: readonly Token[], begin: number): number {
  if (tokens[begin] !== '(') return begin
  let depth = 0
  for (let at = begin; at < tokens.length; at++) {
    if (tokens[at] === '(') depth += 1
    if (tokens[at] === ')') depth -= 1
    if (depth === 0) return at + 1
  }
  return tokens.length
}
