/**
 * Splits a line at the blanks outside quotes, as the builder does when it looks for heredocs (BuildKit's shell lexer): words keep
 * their quotes, backslashes and variables. Undefined for an open quote, where the builder sees no words at all, and for a
 * variable with a modifier that is not plain text, whose words are not certain.
 */
export function shellWords(text: string): string[] | undefined {
  const words: string[] = []
  let start: number | undefined
  for (let at = 0; at < text.length; ) {
    if (text[at] === ' ' || text[at] === '\t') {
      if (start !== undefined) words.push(text.slice(start, at))
      start = undefined
      at += 1
      continue
    }
    start ??= at
    const end = endOfPart(text, at)
    if (end === undefined) return undefined
    at = end
  }
  if (start !== undefined) words.push(text.slice(start))
  return words
}

/** The position after the quoted text, the escaped character, the variable or the plain character at `at`. */
function endOfPart(text: string, at: number): number | undefined {
  const char = text[at]
  if (char === '\\') return at + 2
  if (char === '"') return endOfDoubleQuotes(text, at + 1)
  if (char === '$') return endOfVariable(text, at)
  if (char !== "'") return at + 1
  const close = text.indexOf("'", at + 1)
  return close === -1 ? undefined : close + 1
}

function endOfDoubleQuotes(text: string, start: number): number | undefined {
  for (let at = start; at < text.length; ) {
    if (text[at] === '"') return at + 1
    const end = text[at] === "'" ? at + 1 : endOfPart(text, at)
    if (end === undefined) return undefined
    at = end
  }
  return undefined
}

const bracedVariable = /\$\{[A-Za-z_]\w*(?::?[-+?][\w./:-]*)?\}/y

function endOfVariable(text: string, at: number): number | undefined {
  // Two dollar signs are one variable.
  if (text[at + 1] === '$') return at + 2
  if (text[at + 1] !== '{') return at + 1
  bracedVariable.lastIndex = at
  return bracedVariable.test(text) ? bracedVariable.lastIndex : undefined
}
