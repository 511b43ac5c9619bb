import { shellWord } from '@sandbox-jobs/contract/resources/environments/job-prelude.ts'
import { platformShell } from '@sandbox-jobs/contract/resources/environments/runtime-contract.ts'

/* A search for text as a command, with the platform's own programs, which every sandbox has. */

/** A search whose output is longer has enough of it. */
const outputMaxBytes = 900_000

interface GrepOptions {
  /** Absolute path of a file or a folder. */
  at: string
  isRegex: boolean
  ignoresCase: boolean
  namesOnly: boolean
  /** Patterns of file names; none: all files. */
  include: readonly string[]
}

/** Prints `path:line:text` for each match, or paths. */
export function grepCommand(query: string, { at, include, ...options }: GrepOptions): string {
  const names = include.map((pattern) => `-name ${shellWord(pattern)}`).join(' -o ')
  const which = names === '' ? '' : ` \\( ${names} \\)`
  const flags = [
    options.isRegex ? '-E' : '-F',
    ...(options.ignoresCase ? ['-i'] : []),
    ...(options.namesOnly ? ['-l'] : ['-n', '-H']),
  ].join(' ')
  const pattern = shellWord(options.isRegex ? extendedRegex(query) : query)
  return (
    `${platformShell} find ${shellWord(at)} -type f${which} -exec ${platformShell} grep ${flags} -e ${pattern} {} + ` +
    `| ${platformShell} head -c ${outputMaxBytes}`
  )
}

/**
 * Translates text of other dialects that models write and that has another form here: `\d`, `\D` and groups that capture
 * nothing.
 */
export function extendedRegex(query: string): string {
  let isInSet = false
  return query.replaceAll(/\\.|\[\^?\]?|\]|\(\?:/gs, (part) => {
    if (part === '\\d') return isInSet ? '0-9' : '[0-9]'
    if (part === '\\D' && !isInSet) return '[^0-9]'
    if (part.startsWith('[') && !isInSet) isInSet = true
    else if (part === ']') isInSet = false
    return part === '(?:' && !isInSet ? '(' : part
  })
}
