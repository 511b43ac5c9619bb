import type { Instruction } from './grammar/instruction.ts'
import { mountsOf } from './mount-flag.ts'

/** The context paths that an instruction may read: a superset of those that it reads. */
export interface ContextReads {
  /** Files, or folders with everything below them. */
  paths: ReadonlySet<string>
  /** Path prefixes; the empty prefix matches every path. */
  pathPrefixes: readonly string[]
}

const nothing: ContextReads = { paths: new Set(), pathPrefixes: [] }
const everything: ContextReads = { paths: new Set(), pathPrefixes: [''] }

/** Each pattern is compared with each path of a context. An instruction with more of them counts as reading every path. */
const maxPatterns = 16
/** No path of a context is longer. */
const maxPathLength = 1024

/**
 * The paths that `COPY`, `ADD` and mounts read. Sources with quotes, backslashes or variables are not resolved and count as
 * every path.
 */
export function contextReads({ keyword, flags, rest, heredocs }: Instruction): ContextReads {
  if (keyword === 'RUN') return pathsOf(mountsOf({ keyword, flags }).map(({ contextPath }) => contextPath))
  const isCopy = keyword === 'COPY' || keyword === 'ADD'
  if (!isCopy || flags.some(({ name }) => name === 'from')) return nothing
  const texts = new Set(heredocs.map(({ word }) => word))
  const words = rest.split(/[\t ]+/).filter((word) => !texts.has(word))
  const sources = words.slice(0, -1)
  if (sources.length === 0 && heredocs.length > 0) return nothing
  if (sources.length === 0 || words.some((word) => /["'\\$]/.test(word))) return everything
  const paths = new Set<string>()
  const prefixes = new Set<string>()
  for (const source of sources) {
    const path = pathOf(source)
    if (path === undefined || prefixes.size > maxPatterns) return everything
    const pattern = path.search(/[*?[]/)
    if (pattern === -1) paths.add(path)
    else prefixes.add(path.slice(0, pattern))
  }
  return { paths, pathPrefixes: [...prefixes] }
}

/** Paths that are certain; the empty one is the whole context. */
function pathsOf(found: (string | undefined)[]): ContextReads {
  const paths = found.filter((path) => path !== undefined)
  if (paths.length === 0) return nothing
  return paths.includes('') ? everything : { paths: new Set(paths), pathPrefixes: [] }
}

/** The path of a source in the context; undefined if it may be any. */
function pathOf(source: string): string | undefined {
  const segments = source.split('/').filter((segment) => segment !== '' && segment !== '.')
  const path = segments.join('/')
  return path === '' || segments.includes('..') || path.length > maxPathLength ? undefined : path
}

export const joinedReads = (all: ContextReads[]): ContextReads => ({
  paths: new Set(all.flatMap(({ paths }) => [...paths])),
  pathPrefixes: [...new Set(all.flatMap(({ pathPrefixes }) => pathPrefixes))],
})

export const mayRead = ({ paths, pathPrefixes }: ContextReads, path: string): boolean =>
  pathPrefixes.some((prefix) => path.startsWith(prefix)) || isAtOrBelow(path, paths)

/** Whether a path is one of `others`, or below one. */
export function isAtOrBelow(path: string, others: ReadonlySet<string>): boolean {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1))
    if (others.has(path.slice(0, end))) return true
  return false
}
