import { type Document, LineCounter, parseDocument } from 'yaml'
import type { FilePath, FileProblem } from './company-file.ts'

export const companyFileMaxBytes = 1024 * 1024
const aliasesMax = 100

/** A company file that cannot be applied. Lists every problem with its line, one per line. */
export class CompanyFileInvalid extends Error {
  readonly problems: string[]

  constructor(problems: string[]) {
    super(`${problems.length} ${problems.length === 1 ? 'problem' : 'problems'} in the file`)
    this.name = 'CompanyFileInvalid'
    this.problems = problems
  }
}

export interface CompanyYaml {
  value: unknown
  /** Formats problems with their lines, in file order. */
  locate(problems: FileProblem[]): string[]
}

/** Parses YAML 1.2. Throws `CompanyFileInvalid` unless the text is exactly one valid document. */
export function parseCompanyYaml(text: string): CompanyYaml {
  if (Buffer.byteLength(text) > companyFileMaxBytes) {
    throw new CompanyFileInvalid([`the file is larger than ${companyFileMaxBytes / 1024} KiB`])
  }
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const mistakes = [...document.errors, ...document.warnings]
  if (mistakes.length > 0) {
    throw new CompanyFileInvalid(
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
    throw new CompanyFileInvalid([error instanceof Error ? error.message : String(error)])
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
