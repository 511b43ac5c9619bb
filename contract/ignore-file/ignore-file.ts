import { type IgnorePattern, parsePattern } from './ignore-pattern.ts'

/*
 * The files of a context that a build does not see. The file of patterns is the one that Docker takes: `Dockerfile.dockerignore`,
 * else `.dockerignore`; where there is neither, `.containerignore` counts too. It means what BuildKit's means: the last
 * pattern that matches a path decides, and a folder's patterns count for what lies in it.
 */

/** The first that is in a context, and not empty, counts. */
export const ignoreFileNames = ['Dockerfile.dockerignore', '.dockerignore', '.containerignore']

/** Every pattern is compared with every path. */
const maxPatterns = 1000
const maxIgnoreFileBytes = 128 * 1024

/** A file of patterns that is refused, with the slug of the service for it. */
export class IgnoreFileRefused extends Error {
  readonly slug: 'ignore_file_malformed' | 'ignore_file_too_large'

  constructor(slug: IgnoreFileRefused['slug']) {
    super(slug)
    this.name = 'IgnoreFileRefused'
    this.slug = slug
  }
}

export class IgnoreFile {
  readonly #patterns: IgnorePattern[]
  /** For each folder, the patterns that match it or a folder above it. */
  readonly #ofFolders = new Map<string, Uint8Array>()

  /** Throws `IgnoreFileRefused`. */
  constructor(content: Uint8Array) {
    if (content.length > maxIgnoreFileBytes) throw new IgnoreFileRefused('ignore_file_too_large')
    const lines = textOf(content).split('\n')
    this.#patterns = lines.flatMap((line) => patternOf(line))
    if (this.#patterns.length > maxPatterns) throw new IgnoreFileRefused('ignore_file_too_large')
  }

  /** Whether something in an ignored folder may not be ignored. */
  get hasExceptions(): boolean {
    return this.#patterns.some(({ isException }) => isException)
  }

  ignores(path: string): boolean {
    if (this.#patterns.length === 0) return false
    return this.#read(path).isIgnored
  }

  /** Like BuildKit, compares a pattern only where it would change the result of those before it. */
  #read(path: string): { isIgnored: boolean; matched: Uint8Array } {
    const above = this.#ofFolder(path)
    const matched = new Uint8Array(this.#patterns.length)
    let isIgnored = false
    for (const [index, { isException, matches }] of this.#patterns.entries()) {
      const isMatch = above?.[index] === 1 || (isException === isIgnored && matches(path))
      if (!isMatch) continue
      matched[index] = 1
      isIgnored = !isException
    }
    return { isIgnored, matched }
  }

  /** The matches of the folder of a path; undefined at the top. */
  #ofFolder(path: string): Uint8Array | undefined {
    const slash = path.lastIndexOf('/')
    if (slash === -1) return undefined
    const folder = path.slice(0, slash)
    const known = this.#ofFolders.get(folder)
    if (known) return known
    const { matched } = this.#read(folder)
    this.#ofFolders.set(folder, matched)
    return matched
  }
}

/** Without a byte order mark at its start. */
function textOf(content: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    throw new IgnoreFileRefused('ignore_file_malformed')
  }
}

/** The pattern of a line, if it has one. */
function patternOf(line: string): IgnorePattern[] {
  const text = line.trim()
  if (line.startsWith('#') || text === '') return []
  const isException = text.startsWith('!')
  const written = isException ? text.slice(1).trim() : text
  if (written === '') throw new IgnoreFileRefused('ignore_file_malformed')
  const pattern = parsePattern(cleaned(written), isException)
  if (!pattern) throw new IgnoreFileRefused('ignore_file_malformed')
  return [pattern]
}

/** Without slashes at either end, doubled slashes and dots; `..` takes away the part before it, if there is one. */
function cleaned(written: string): string {
  const isAbsolute = written.startsWith('/')
  const parts: string[] = []
  for (const part of written.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else if (!isAbsolute) parts.push(part)
  }
  return parts.join('/') || (isAbsolute ? '/' : '.')
}
