import { DockerfileRefused, nearKeyword } from '../dockerfile-refused.ts'
import { type Flag, splitFlags } from './flags.ts'
import { ends, type Heredoc, heredocsOf } from './heredocs.ts'

export interface Instruction {
  /** Of its first physical line, from 1. */
  line: number
  /** Continuations joined, trimmed. */
  text: string
  /** Upper case. */
  keyword: string
  flags: Flag[]
  /** The rest of `text` after the flags. */
  rest: string
  heredocs: Heredoc[]
  /** Its physical lines, including heredocs and comments between its lines but not after them. */
  source: string
}

interface LogicalLine {
  line: number
  text: string
  /** Index of the physical line after it. */
  next: number
}

/** Reads the physical lines of a file. The caller has removed the byte order mark. */
export function readInstructions(lines: string[]): Instruction[] {
  const instructions: Instruction[] = []
  for (let at = 0; ; ) {
    const joined = joinLines(lines, at)
    if (!joined) return instructions
    const parsed = parseInstruction(joined)
    const heredocs: Heredoc[] = []
    at = joined.next
    for (const start of heredocsOf(parsed)) {
      const first = at
      while (at < lines.length && !ends(start, lines[at] ?? '')) at += 1
      if (at === lines.length) throw new DockerfileRefused('heredoc_unterminated', joined.line)
      heredocs.push({ ...start, lines: lines.slice(first, at) })
      at += 1
    }
    instructions.push({ ...parsed, heredocs, source: lines.slice(joined.line - 1, at).join('\n') })
  }
}

/**
 * Joins physical lines from index `from` as the builder does (buildah 1.39): a backslash at the end, also before trailing blanks,
 * continues a line; inside a continuation, blank lines and comment lines are dropped, also with an indented `#`. A backslash
 * in a comment continues nothing. Undefined if there are only comments left.
 */
function joinLines(lines: string[], from: number): LogicalLine | undefined {
  let open: LogicalLine | undefined
  for (let index = from; index < lines.length; index += 1) {
    const text = lines[index] ?? ''
    if (/^[\t ]*(?:#|$)/.test(text)) continue
    // Some parsers trim or split at these characters, others do not.
    if (/[^\S\t ]|\u200b/.test(text)) throw new DockerfileRefused('ambiguous_space', index + 1)
    const continues = /\\[\t ]*$/.test(text)
    const part = continues ? text.replace(/\\[\t ]*$/, '') : text
    open = { line: open?.line ?? index + 1, text: (open?.text ?? '') + part, next: index + 1 }
    if (!continues) return open
  }
  return open
}

function parseInstruction({ line, text }: LogicalLine): Omit<Instruction, 'heredocs' | 'source'> {
  const [, keyword = '', after = ''] = /^([^\t ]*)(.*)$/s.exec(text.trim()) ?? []
  // ASCII only: the long s or the Kelvin sign would become other letters in upper case.
  if (!/^[A-Za-z]+$/.test(keyword))
    throw new DockerfileRefused('unknown_instruction', line, { meant: nearKeyword(keyword) })
  return { line, text: text.trim(), keyword: keyword.toUpperCase(), ...splitFlags(after, line) }
}
