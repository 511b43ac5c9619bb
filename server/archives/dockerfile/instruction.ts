import { DockerfileRefused, nearKeyword } from './dockerfile-refused.ts'

export interface Flag {
  /** Without the dashes. */
  name: string
  /** Undefined for a flag without `=`. */
  value: string | undefined
}

export interface Instruction {
  /** Of its first physical line, from 1. */
  line: number
  /** Upper case. */
  keyword: string
  flags: Flag[]
  /** What follows the flags, trimmed, continuations joined. */
  rest: string
  /** Its physical lines, including comments between them but not after them. */
  source: string
}

/** Together with the bound on stages it bounds the work of every rule. */
const MAX_FLAGS = 32

interface LogicalLine {
  line: number
  text: string
  source: string
}

/**
 * Joins physical lines as the builder does (buildah 1.28): a backslash at the end, also before trailing blanks,
 * continues a line; inside a continuation, blank lines and comment lines are dropped, also with an indented `#`. A backslash
 * in a comment continues nothing. The caller has removed the byte order mark.
 */
export function joinLines(lines: string[]): LogicalLine[] {
  const joined: LogicalLine[] = []
  let open: { line: number; text: string; last: number } | undefined
  const close = () => {
    if (!open) return
    const { line, text, last } = open
    joined.push({ line, text, source: lines.slice(line - 1, last).join('\n') })
    open = undefined
  }
  for (const [index, text] of lines.entries()) {
    if (/^[\t ]*(?:#|$)/.test(text)) continue
    const continues = /\\[\t ]*$/.test(text)
    const part = continues ? text.replace(/\\[\t ]*$/, '') : text
    const { line, text: before } = open ?? { line: index + 1, text: '' }
    open = { line, text: before + part, last: index + 1 }
    if (!continues) close()
  }
  close()
  return joined
}

/**
 * Splits keyword, flags and the rest. The builder reads leading `--` words of every instruction as flags, drops
 * quotes and backslashes in them and sometimes expands variables. Such a flag could become another one, so flags
 * have to be plain text (only an owner or a mode may contain a variable).
 */
export function parseInstruction({ line, text, source }: LogicalLine): Instruction {
  const [, keyword = '', after = ''] = /^([^\t ]*)(.*)$/s.exec(text.trim()) ?? []
  // ASCII only: the long s or the Kelvin sign would become other letters in upper case.
  if (!/^[A-Za-z]+$/.test(keyword))
    throw new DockerfileRefused('unknown_instruction', line, nearKeyword(keyword))
  const flags: Flag[] = []
  let rest = after.trim()
  while (rest.startsWith('--')) {
    const [word = ''] = /^[^\t ]+/.exec(rest) ?? []
    if (flags.length === MAX_FLAGS) throw new DockerfileRefused('too_many_flags', line)
    flags.push(parseFlag(word, line))
    rest = rest.slice(word.length).trim()
  }
  return { line, keyword: keyword.toUpperCase(), flags, rest, source }
}

function parseFlag(word: string, line: number): Flag {
  const [, name, , value] = /^--([a-z][a-z-]*)(=(.*))?$/.exec(word) ?? []
  if (name === undefined || /["'\\]/.test(word)) throw new DockerfileRefused('flag_not_plain', line)
  const mayExpand = name === 'chown' || name === 'chmod'
  if (value?.includes('$') && !mayExpand) throw new DockerfileRefused('flag_not_plain', line)
  return { name, value }
}
