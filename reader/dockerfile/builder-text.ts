import { type Flag, flagWord } from './grammar/flags.ts'
import type { Heredoc } from './grammar/heredocs.ts'
import type { Instruction } from './grammar/instruction.ts'
import { readMount } from './mount-flag.ts'

/*
 * Things that Docker's builder does and buildah 1.39 in a chroot does not, written so that buildah does the same:
 *
 *   a script with an interpreter   The builder mounts such a heredoc below /dev, which a chroot lacks. The interpreter gets it
 *                                  as /dev/stdin.
 *   a text without variables       In an unquoted heredoc of COPY and ADD the builder refuses a lone quotation mark. A quoted one
 *                                  is the same if there is nothing to replace.
 *   --link                         The builder does not know it. It only changes how layers are stored.
 *   quotes, mounts                 A flag has no quotes, and a mount the paths that the gate checked.
 */

/** The lines of an instruction for the builder: its own, or the translation. */
export function builderText(instruction: Instruction): string {
  const script = scriptOf(instruction)
  if (script) return translated(instruction, { rest: script.command, heredocs: [script.heredoc] })
  const plain = instruction.keyword === 'RUN' ? [] : instruction.heredocs.filter(isPlainText)
  const isAsWritten = instruction.flags.every((flag) => flagWords(flag)[0] === flag.word)
  if (plain.length === 0 && isAsWritten) return instruction.source
  const quoted = new Map(plain.map((heredoc) => [heredoc.word, quotedWord(heredoc)]))
  const rest = instruction.rest.replaceAll(/[^\t ]+/g, (word) => quoted.get(word) ?? word)
  return translated(instruction, { rest, heredocs: instruction.heredocs })
}

/** The flag for the builder, in one word or none. */
function flagWords({ name, value }: Flag): string[] {
  if (name === 'link') return []
  const mount = name === 'mount' ? readMount(value) : undefined
  return [flagWord({ name, value: mount ? mount.text : value })]
}

const isPlainText = ({ isQuoted, lines }: Heredoc) => !isQuoted && !lines.some((line) => line.includes('$'))

const quotedWord = ({ word, name }: Heredoc) => word.replace(name, `'${name}'`)

/** A path and words that mean the same to a shell and to the kernel. */
const interpreterLine = /^#![\t ]*(\/[\w./+-]*(?:[\t ]+[\w./+=:,@%-]+)*)[\t ]*$/

/** A heredoc that is the whole of a `RUN`, if its first line names an interpreter. */
function scriptOf({ keyword, rest, heredocs: [heredoc, ...others] }: Instruction) {
  if (keyword !== 'RUN' || !heredoc || others.length > 0 || rest !== heredoc.word) return undefined
  const [first = ''] = heredoc.lines
  const [, interpreter] = interpreterLine.exec(heredoc.stripsTabs ? first.replace(/^\t+/, '') : first) ?? []
  if (interpreter === undefined) return undefined
  const start = heredoc.stripsTabs ? '<<-' : '<<'
  return { command: `${interpreter} /dev/stdin ${start}'${heredoc.name}'`, heredoc }
}

function translated(
  { keyword, flags }: Instruction,
  { rest, heredocs }: Pick<Instruction, 'rest' | 'heredocs'>,
): string {
  const bodies = heredocs.flatMap(({ lines, name }) => [...lines, name])
  return [[keyword, ...flags.flatMap(flagWords), rest].join(' '), ...bodies].join('\n')
}
