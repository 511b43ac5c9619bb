/** A word or sign of a statement, or a group in parentheses. */
export type Token = string | Token[]

/** Comments, strings, numbers, parameters, names (quoted or not, without their quotes), casts, and any other sign. */
const lexeme =
  /\/\*[\s\S]*?\*\/|--[^\n]*|'(?:[^']|'')*'|"(?<quoted>[^"]+)"|\$\d+|[a-z_][\w$]*|\d[\w.]*|::|<>|[<>!]=|[^\s]/gi

/** The tokens of a statement in lower case, with each pair of parentheses as a group. Comments are omitted. */
export function sqlTokens(text: string): Token[] {
  const root: Token[] = []
  const open = [root]
  for (const { 0: found, groups } of text.matchAll(lexeme)) {
    const inner = open.at(-1) ?? root
    if (found.startsWith('/*') || found.startsWith('--')) continue
    if (found === '(') {
      const group: Token[] = []
      inner.push(group)
      open.push(group)
    } else if (found === ')') open.pop()
    else inner.push(found.startsWith("'") ? "'" : (groups?.quoted ?? found.toLowerCase()))
  }
  return root
}
