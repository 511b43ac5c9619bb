import { afterGroup, isQuery } from './queries.ts'
import type { Token } from './sql-tokens.ts'

export interface ColumnName {
  alias: string | undefined
  column: string
}

/** One side of a comparison: its columns, and the query if it is one. */
export interface Side {
  columns: ColumnName[]
  query: Token[] | undefined
}

const word = /^[a-z_]/
const notColumn = new Set<Token>(['any', 'all', 'null', 'true', 'false', 'not', 'select', 'array'])

/** Both sides of each `=`, `in` and `is not distinct from` of a flattened query. */
export function comparisonsOf(tokens: readonly Token[]): [Side, Side][] {
  return tokens.flatMap((token, at): [Side, Side][] => {
    if (token === '=' || (token === 'in' && tokens[at - 1] !== 'not'))
      return [[sideBefore(tokens, at - 1), sideAfter(tokens, at + 1)]]
    if (token === 'from' && tokens[at - 1] === 'distinct' && tokens[at - 2] === 'not')
      return [[sideBefore(tokens, at - 4), sideAfter(tokens, at + 1)]]
    return []
  })
}

function sideBefore(tokens: readonly Token[], last: number): Side {
  if (isQuery(tokens[last])) return { columns: [], query: tokens[last] }
  let begin = last
  if (tokens[last] === ')') begin = groupBegin(tokens, last)
  else if (tokens[last - 1] === '.') begin = last - 2
  return { columns: columnsIn(tokens.slice(begin, last + 1)), query: undefined }
}

function sideAfter(tokens: readonly Token[], begin: number): Side {
  let at = begin
  if (tokens[at] === 'any') at += 1
  const first = tokens[at]
  if (isQuery(first)) return { columns: [], query: first }
  let end = at + 1
  if (first === '(') end = afterGroup(tokens, at)
  else if (tokens[at + 1] === '.') end = at + 3
  return { columns: columnsIn(tokens.slice(at, end)), query: undefined }
}

function groupBegin(tokens: readonly Token[], end: number): number {
  let depth = 0
  for (let at = end; at >= 0; at--) {
    if (tokens[at] === ')') depth += 1
    if (tokens[at] === '(') depth -= 1
    if (depth === 0) return at
  }
  return 0
}

/** The columns in a sequence of tokens. */
export function columnsIn(tokens: readonly Token[]): ColumnName[] {
  return tokens.flatMap((token, at): ColumnName[] => {
    if (typeof token !== 'string' || !word.test(token) || notColumn.has(token)) return []
    const [before, after] = [tokens[at - 1], tokens[at + 1]]
    if (after === '.' || after === '(' || before === '::') return []
    return [{ alias: before === '.' ? String(tokens[at - 2]) : undefined, column: token }]
  })
}
