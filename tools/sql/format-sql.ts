/*
 * Lays out a statement that templates made: one clause a line, a query in parentheses further in where it does not fit its line.
 * Nothing but whitespace changes.
 */

type Node = Text | Group
/** A word, string, comment or operator; `spaced`: whitespace stands before it. */
interface Text {
  text: string
  spaced: boolean
}
interface Group extends Text {
  nodes: Node[]
}

const width = 110
const tokens = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"|[()]|,|[^\s()'",]+/g
const isComment = (node: Node | undefined): boolean => wordOf(node).startsWith('--')
const isGroup = (node: Node | undefined): node is Group => node !== undefined && 'nodes' in node
const wordOf = (node: Node | undefined): string => (node && !isGroup(node) ? node.text.toLowerCase() : '')

export function formatSql(sql: string): string {
  const { nodes } = parseGroup(sql.matchAll(tokens), sql, { text: '', spaced: false })
  return renderQuery(nodes, 0).join('\n')
}

function parseGroup(rest: Iterator<RegExpMatchArray>, sql: string, open: Text): Group {
  const nodes: Node[] = []
  for (let next = rest.next(); !next.done; next = rest.next()) {
    const { 0: text, index = 0 } = next.value
    if (text === ')') break
    const token = { text, spaced: /\s/.test(sql[index - 1] ?? '') && nodes.length > 0 }
    nodes.push(text === '(' ? parseGroup(rest, sql, token) : token)
  }
  return { ...open, nodes }
}

const renderFlat = (nodes: readonly Node[]): string =>
  nodes
    .map((node) => `${node.spaced ? ' ' : ''}${isGroup(node) ? `(${renderFlat(node.nodes)})` : node.text}`)
    .join('')
    .trim()

/** Its width in one line. A comment ends its line. */
const widthOf = (nodes: readonly Node[]): number => (hasComment(nodes) ? Infinity : renderFlat(nodes).length)
const hasComment = (nodes: readonly Node[]): boolean =>
  nodes.some((node) => isComment(node) || (isGroup(node) && hasComment(node.nodes)))

const clauses = new Set([
  ...['with', 'select', 'insert', 'update', 'delete', 'values', 'set', 'from', 'where', 'group', 'order'],
  ...['limit', 'for', 'union', 'returning', 'join', 'left', 'cross', 'on'],
])
/** Words that go on with the clause of the word before them. */
const continued: Record<string, readonly string[]> = {
  from: ['distinct', 'delete', 'select'],
  join: ['left', 'cross'],
  update: ['for', 'key'],
  select: ['recursive'],
}

function beginsClause(nodes: readonly Node[], at: number): boolean {
  const [before, word, after] = [nodes[at - 1], nodes[at], nodes[at + 1]].map(wordOf)
  if (at === 0 || !word || !clauses.has(word)) return false
  if (word === 'on') return after === 'conflict'
  if (word === 'left') return after === 'join'
  if (word === 'with') return after !== 'ordinality'
  return !continued[word]?.includes(before ?? '')
}

/** Splits before each node for which `begins` holds. */
function splitBefore(nodes: readonly Node[], begins: (at: number) => boolean): Node[][] {
  const parts: Node[][] = []
  for (const [at, node] of nodes.entries()) {
    if (at === 0 || begins(at)) parts.push([])
    parts.at(-1)?.push(node)
  }
  return parts
}

function isQuery(nodes: readonly Node[]): boolean {
  const first = nodes.find((node) => !isComment(node))
  return isGroup(first) ? isQuery(first.nodes) : queryWords.has(wordOf(first))
}
const queryWords = new Set(['with', 'select', 'insert', 'update', 'delete'])

const renderQuery = (nodes: readonly Node[], indent: number): string[] =>
  splitBefore(nodes, (at) => beginsClause(nodes, at)).flatMap((clause) => renderClause(clause, indent))

/** `further`: the indent of its lines behind the first. */
function renderClause(clause: readonly Node[], indent: number, further = indent + 2): string[] {
  const isWith = wordOf(clause[0]) === 'with'
  const lines = [' '.repeat(indent)]
  let isOpen = false
  for (const [at, piece] of splitBefore(clause, (at) => beginsPiece(clause, at)).entries()) {
    if (at > 0 && (isWith || isOpen || roomIn(lines) <= widthOf(piece)))
      lines.push(' '.repeat(isWith ? indent : further))
    else if (at > 0) append(lines, ' ')
    const before = lines.length
    appendPiece(lines, piece)
    // Nothing follows in the line of a comment, or in the last line of a query that has several.
    isOpen = hasComment(piece) || lines.length > before
  }
  return lines
}

/** A piece follows a comma, or is led by `and`, `or`, `when` or `else`, except the `and` of `between`. */
function beginsPiece(clause: readonly Node[], at: number): boolean {
  const word = wordOf(clause[at])
  if (word === 'and') return !clause.slice(Math.max(0, at - 4), at).some((node) => wordOf(node) === 'between')
  return (
    word === 'or' ||
    (isCase(clause) && caseWords.has(word)) ||
    word.startsWith('--') ||
    wordOf(clause[at - 1]) === ',' ||
    isComment(clause[at - 1])
  )
}
const isCase = (clause: readonly Node[]): boolean => wordOf(clause[0]) === 'case'
const caseWords = new Set(['when', 'else'])

const roomIn = (lines: readonly string[]): number => width - (lines.at(-1)?.length ?? 0)
const append = (lines: string[], text: string): void => {
  lines.push((lines.pop() ?? '') + text)
}

/** Appends a piece to the last line, and opens its groups where it does not fit. */
function appendPiece(lines: string[], piece: readonly Node[]): void {
  const indent = lines.at(-1)?.search(/\S|$/) ?? 0
  for (const [at, node] of piece.entries()) {
    const space = node.spaced && at > 0 ? ' ' : ''
    const closes = widthOf(piece.slice(at)) <= roomIn(lines) - space.length
    if (closes || !isGroup(node) || (!isQuery(node.nodes) && widthOf([node]) < roomIn(lines))) {
      append(lines, `${space}${renderFlat(closes ? piece.slice(at) : [node])}`)
      if (closes) return
      continue
    }
    append(lines, `${space}(`)
    lines.push(
      ...(isQuery(node.nodes)
        ? renderQuery(node.nodes, indent + 2)
        : renderClause(node.nodes, indent + 2, indent + 2)),
      `${' '.repeat(indent)})`,
    )
  }
}
