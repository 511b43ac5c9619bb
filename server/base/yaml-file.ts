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

type Fields = Record<string, unknown>

const shown = (values: readonly string[]): string => values.join(', ')

/**
 * Reads fields from parsed YAML. It records each mistake with its path and continues, so that all mistakes are
 * reported together. A value that cannot be read is returned as undefined.
 */
export class FieldReader {
  readonly problems: FileProblem[] = []

  note(path: FilePath, message: string): undefined {
    this.problems.push({ path, message })
    return undefined
  }

  /** A mapping whose keys are all in `known`. */
  fields(value: unknown, path: FilePath, known: readonly string[]): Fields | undefined {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return this.note(path, `must be a mapping of ${shown(known)}`)
    }
    for (const key of Object.keys(value)) {
      if (!known.includes(key)) this.note([...path, key], `is not known here; known are ${shown(known)}`)
    }
    return value as Fields
  }

  /** A list, each entry read by `read`. Undefined if omitted. Entries that cannot be read are dropped. */
  list<T>(
    value: unknown,
    path: FilePath,
    read: (entry: unknown, path: FilePath) => T | undefined,
  ): T[] | undefined {
    if (value === undefined) return undefined
    if (!Array.isArray(value)) {
      this.note(path, 'must be a list')
      return []
    }
    return value.flatMap((entry: unknown, index) => read(entry, [...path, index]) ?? [])
  }

  text(value: unknown, path: FilePath, rule: { pattern: RegExp; expected: string }): string | undefined {
    if (value === undefined) return this.note(path, 'is missing')
    if (typeof value === 'string' && rule.pattern.test(value)) return value
    return this.note(path, `must be ${rule.expected}`)
  }

  optionalText(
    value: unknown,
    path: FilePath,
    rule: { pattern: RegExp; expected: string },
  ): string | undefined {
    return value === undefined ? undefined : this.text(value, path, rule)
  }

  choice<const V extends string>(value: unknown, path: FilePath, values: readonly V[]): V | undefined {
    if (value === undefined) return this.note(path, `is missing; one of ${shown(values)}`)
    return values.find((known) => known === value) ?? this.note(path, `must be one of ${shown(values)}`)
  }

  flag(value: unknown, path: FilePath): boolean {
    if (value === undefined || typeof value === 'boolean') return value ?? false
    this.note(path, 'must be true or false')
    return false
  }

  /** A timestamp with an offset, later than `after`. Null if omitted. */
  instant(value: unknown, path: FilePath, after: Date): Date | null {
    if (value === undefined || value === null) return null
    const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/
    const at = typeof value === 'string' && form.test(value) ? new Date(value) : new Date(Number.NaN)
    if (at > after) return at
    this.note(path, 'must be a time in the future with its offset, like 2030-01-31T12:00:00Z')
    return null
  }
}
