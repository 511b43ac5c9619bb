import { type Document, LineCounter, parseDocument } from 'yaml'

/** Position of a value in the file: keys and list indexes from the top. */
export type FilePath = (string | number)[]

/** One mistake in a file. */
export interface FileProblem {
  path: FilePath
  message: string
}

export const yamlFileMaxBytes = 1024 * 1024
const aliasesMax = 100

/** A file that cannot be applied. Lists every problem with its line, one per line. */
export class YamlFileInvalid extends Error {
  readonly problems: string[]

  constructor(problems: string[]) {
    super(`${problems.length} ${problems.length === 1 ? 'problem' : 'problems'} in the file`)
    this.name = 'YamlFileInvalid'
    this.problems = problems
  }
}

export interface YamlFile {
  value: unknown
  /** Formats problems with their lines, in file order. */
  locate(problems: FileProblem[]): string[]
}

/** Parses YAML 1.2. Throws `YamlFileInvalid` unless the text is exactly one valid document. */
export function parseYamlFile(text: string): YamlFile {
  if (Buffer.byteLength(text) > yamlFileMaxBytes) {
    throw new YamlFileInvalid([`the file is larger than ${yamlFileMaxBytes / 1024} KiB`])
  }
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const mistakes = [...document.errors, ...document.warnings]
  if (mistakes.length > 0) {
    throw new YamlFileInvalid(
      mistakes.map((each) => `line ${lines.linePos(each.pos[0]).line}: ${each.message}`),
    )
  }
  return { value: toValue(document), locate: (problems) => locate(document, lines, problems) }
}

function toValue(document: Document.Parsed): unknown {
  try {
    return document.toJS({ maxAliasCount: aliasesMax })
  } catch (error) {
    // Too many aliases, or an alias without an anchor.
    throw new YamlFileInvalid([error instanceof Error ? error.message : String(error)])
  }
}

function locate(document: Document.Parsed, lines: LineCounter, problems: FileProblem[]): string[] {
  return problems
    .map((problem) => ({ ...problem, line: lineOf(document, lines, problem.path) }))
    .toSorted((one, other) => one.line - other.line)
    .map(({ line, path, message }) => `line ${line}: ${pathText(path)}: ${message}`)
}

/** The line of the value. If the value is missing, the line of its nearest existing parent. */
function lineOf(document: Document.Parsed, lines: LineCounter, path: FilePath): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true) as
      | { range?: [number, number, number] }
      | undefined
    if (node?.range) return lines.linePos(node.range[0]).line
  }
  return 1
}

const pathText = (path: FilePath): string =>
  path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : text === '' ? step : `${text}.${step}`),
    '',
  ) || 'file'
