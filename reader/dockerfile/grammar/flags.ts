import { DockerfileRefused } from '../dockerfile-refused.ts'

export interface Flag {
  /** Without the dashes. */
  name: string
  /** Without quotes. Undefined for a flag without `=`. */
  value: string | undefined
  /** As written, with dashes and quotes. */
  word: string
}

/** Together with the bound on stages it bounds the work of every rule. */
const MAX_FLAGS = 32

/** The gate replaces the variables of a platform or a mount; those of an owner and a mode change nothing else. */
const mayHaveVariables = new Set(['chown', 'chmod', 'platform', 'mount'])

/** Plain text, parts of which may stand in quotes. Quotes do not protect a variable: the builder drops them first. */
const plainText = /^(?:[^"'\\]|"[^"'\\]*"|'[^"'\\]*')*$/

/**
 * Splits the flags from what follows them. The builder reads leading `--` words of every instruction as flags, drops
 * quotes and backslashes in them and expands variables. Such a flag could become another one, so flags have to be plain
 * text, and quotes enclose the value or whole parts of it.
 */
export function splitFlags(text: string, line: number): { flags: Flag[]; rest: string } {
  const flags: Flag[] = []
  let rest = text.trim()
  while (rest.startsWith('--')) {
    const [word = ''] = /^[^\t ]+/.exec(rest) ?? []
    if (flags.length === MAX_FLAGS) throw new DockerfileRefused('too_many_flags', line)
    flags.push(parseFlag(word, line))
    rest = rest.slice(word.length).trim()
  }
  return { flags, rest }
}

function parseFlag(word: string, line: number): Flag {
  const [, name, , written] = /^--([a-z][a-z-]*)(=(.*))?$/.exec(word) ?? []
  const isPlain = name !== undefined && plainText.test(written ?? '')
  if (!isPlain) throw new DockerfileRefused('flag_not_plain', line)
  if (written?.includes('$') && !mayHaveVariables.has(name))
    throw new DockerfileRefused('flag_not_plain', line)
  return { name, value: written?.replaceAll(/["']/g, ''), word }
}

/** A flag as a word of an instruction for the builder. */
export const flagWord = ({ name, value }: Pick<Flag, 'name' | 'value'>): string =>
  value === undefined ? `--${name}` : `--${name}=${value}`
