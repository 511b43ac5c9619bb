import { isUtf8 } from 'node:buffer'
import { posix } from 'node:path'
import { ArchiveRefused } from '../formats/refusals/archive-refused.ts'
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

export class IgnoreFile {
  readonly #patterns: IgnorePattern[]
  /** For each folder, the patterns that match it or a folder above it. */
  readonly #ofFolders = new Map<string, Uint8Array>()

  /** Throws `ArchiveRefused`. */
  constructor(content: Buffer) {
    if (content.length > maxIgnoreFileBytes) throw new ArchiveRefused('ignore_file_too_large')
    if (!isUtf8(content)) throw new ArchiveRefused('ignore_file_malformed')
    const lines = content
      .toString('utf8')
      .replace(/^\ufeff/, '')
      .split('\n')
    this.#patterns = lines.flatMap((line) => patternOf(line))
    if (this.#patterns.length > maxPatterns) throw new ArchiveRefused('ignore_file_too_large')
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

/** The pattern of a line, if it has one. */
function patternOf(line: string): IgnorePattern[] {
  const text = line.trim()
  if (line.startsWith('#') || text === '') return []
  const isException = text.startsWith('!')
  const written = isException ? text.slice(1).trim() : text
  if (written === '') throw new ArchiveRefused('ignore_file_malformed')
  const cleaned = posix
    .normalize(written)
    .replace(/(?<=.)\/$/, '')
    .replace(/^\/(?=.)/, '')
  const pattern = parsePattern(cleaned, isException)
  if (!pattern) throw new ArchiveRefused('ignore_file_malformed')
  return [pattern]
}
