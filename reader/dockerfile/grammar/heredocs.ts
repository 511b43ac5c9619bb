import { DockerfileRefused } from '../dockerfile-refused.ts'
import { shellWords } from './shell-words.ts'

/** Text in the lines after an instruction: `<<NAME`, to a line with the name alone. */
export interface Heredoc {
  /** As written, such as `<<-"EOF"`. */
  word: string
  name: string
  /** If true, variables in the text stay as they are. */
  isQuoted: boolean
  /** `<<-`: blanks that are tabs are removed at the start of each line, also before the name at the end. */
  stripsTabs: boolean
  /** Without the line at its end. */
  lines: string[]
}

/** A heredoc whose text is not read yet. */
export type HeredocStart = Omit<Heredoc, 'lines'>

/** An instruction without its heredocs. */
interface InstructionText {
  line: number
  text: string
  keyword: string
  rest: string
}

const mayHaveHeredocs = new Set(['ADD', 'COPY', 'RUN'])
const heredocWord = /^[0-9]*<<-?[^<]+$/
const plainHeredoc = /^([0-9]*)<<(-?)(["']?)([A-Za-z0-9_][A-Za-z0-9_.-]{0,127})\3$/

/**
 * The heredocs that the builder (buildah 1.39) finds in an instruction: the words of the whole line that start with `<<`. Refuses
 * names that are not plain text, since they could be read in two ways, and what has no meaning in `COPY` and `ADD`:
 * a descriptor, two files of one name, a destination that is a heredoc.
 */
export function heredocsOf({ line, text, keyword, rest }: InstructionText): HeredocStart[] {
  if (!mayHaveHeredocs.has(keyword) || startsWithJsonArray(rest)) return []
  const words = shellWords(text)
  if (words === undefined) {
    // Without its quotes and backslashes the line would have a heredoc if the builder finds one.
    if (/[\t ][0-9]*<<(?!<)/.test(text.replaceAll(/[\\'"]/g, '')))
      throw new DockerfileRefused('heredoc_not_plain', line)
    return []
  }
  const found = words.filter((word) => heredocWord.test(word)).map((word) => parsed(word, line))
  const names = new Set(found.map(({ name }) => name))
  const isFile = keyword !== 'RUN' && found.length > 0
  const isUnclear =
    names.size < found.length || found.some(({ word }) => !word.startsWith('<<') || rest.endsWith(word))
  if (isFile && isUnclear) throw new DockerfileRefused('heredoc_not_plain', line)
  return found
}

function parsed(word: string, line: number): HeredocStart {
  const [, , dash, quote, name] = plainHeredoc.exec(word) ?? []
  if (name === undefined) throw new DockerfileRefused('heredoc_not_plain', line)
  return { word, name, isQuoted: quote !== '', stripsTabs: dash === '-' }
}

/**
 * The builder takes an instruction as a list of words if its text starts with a JSON array of strings, whatever follows. Such an
 * instruction has no heredocs. An array of anything else fails in the builder.
 */
function startsWithJsonArray(rest: string): boolean {
  const string = /\s*"[^"\\]*(?:\\.[^"\\]*)*"\s*/y
  let at = 1
  if (!rest.startsWith('[')) return false
  if (/^\[\s*\]/.test(rest)) return true
  for (;;) {
    string.lastIndex = at
    if (!string.test(rest) || !isJson(rest.slice(at, string.lastIndex))) return false
    at = string.lastIndex + 1
    if (rest[at - 1] === ']') return true
    if (rest[at - 1] !== ',') return false
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Whether a line ends the heredoc. */
export function ends({ name, stripsTabs }: HeredocStart, line: string): boolean {
  return (stripsTabs ? line.replace(/^\t+/, '') : line) === name
}
