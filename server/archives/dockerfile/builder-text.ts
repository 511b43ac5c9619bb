import type { Heredoc } from './grammar/heredocs.ts'
import type { Flag, Instruction } from './grammar/instruction.ts'

/*
 * What Docker's builder does and buildah 1.39 in a chroot does not, written so that it does the same:
 *
 *   a script with an interpreter   The builder mounts such a heredoc below /dev, which a chroot lacks. The interpreter gets it
 *                                  as /dev/stdin.
 *   a text without variables       In an unquoted heredoc of COPY and ADD the builder refuses a lone quotation mark. A quoted one
 *                                  is the same if there is nothing to replace.
 *   --link                         The builder does not know it. It only changes how layers are stored.
 */

/** The lines of an instruction for the builder: its own, or the translation. */
export function builderText(instruction: Instruction): string {
  const script = scriptOf(instruction)
  if (script) return translated(instruction, { rest: script.command, heredocs: [script.heredoc] })
  const plain = instruction.keyword === 'RUN' ? [] : instruction.heredocs.filter(isPlainText)
  const isLinked = instruction.flags.some(isLink)
  if (plain.length === 0 && !isLinked) return instruction.source
  const quoted = new Map(plain.map((heredoc) => [heredoc.word, quotedWord(heredoc)]))
  const rest = instruction.rest.replaceAll(/[^\t ]+/g, (word) => quoted.get(word) ?? word)
  return translated(instruction, { rest, heredocs: instruction.heredocs })
}

const isLink = ({ name }: Flag) => name === 'link'

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
  const kept = flags.filter((flag) => !isLink(flag)).map(({ name, value }) => `--${name}=${value}`)
  const bodies = heredocs.flatMap(({ lines, name }) => [...lines, name])
  return [[keyword, ...kept, rest].join(' '), ...bodies].join('\n')
}
