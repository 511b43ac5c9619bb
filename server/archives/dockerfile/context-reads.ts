import type { Instruction } from './grammar/instruction.ts'

/** The context paths that an instruction may read: a superset of those that it reads. */
export interface ContextReads {
  /** Files, or folders with everything below them. */
  paths: string[]
  /** Path prefixes; the empty prefix matches every path. */
  pathPrefixes: string[]
}

const nothing: ContextReads = { paths: [], pathPrefixes: [] }
const everything: ContextReads = { paths: [], pathPrefixes: [''] }

/** These files decide which context files the builder sees. */
const ignoreFiles = ['.dockerignore', '.containerignore']

/**
 * The paths that `COPY` and `ADD` read. Sources with quotes, backslashes or variables are not resolved and count as
 * every path.
 */
export function contextReads({ keyword, flags, rest, heredocs }: Instruction): ContextReads {
  const isCopy = keyword === 'COPY' || keyword === 'ADD'
  if (!isCopy || flags.some(({ name }) => name === 'from')) return nothing
  const words = rest.split(/[\t ]+/).filter((word) => heredocs.every((heredoc) => word !== heredoc.word))
  const sources = words.slice(0, -1)
  if (sources.length === 0 && heredocs.length > 0) return nothing
  if (sources.length === 0 || words.some((word) => /["'\\$]/.test(word))) return everything
  const reads = sources.map(readsOfSource)
  return joinedReads([{ paths: ignoreFiles, pathPrefixes: [] }, ...reads])
}

function readsOfSource(source: string): ContextReads {
  const segments = source.split('/').filter((segment) => segment !== '' && segment !== '.')
  if (segments.length === 0 || segments.includes('..')) return everything
  const path = segments.join('/')
  const pattern = path.search(/[*?[]/)
  return pattern === -1
    ? { paths: [path], pathPrefixes: [] }
    : { paths: [], pathPrefixes: [path.slice(0, pattern)] }
}

export const joinedReads = (all: ContextReads[]): ContextReads => ({
  paths: all.flatMap(({ paths }) => paths),
  pathPrefixes: all.flatMap(({ pathPrefixes }) => pathPrefixes),
})

export const mayRead = ({ paths, pathPrefixes }: ContextReads, path: string): boolean =>
  pathPrefixes.some((prefix) => path.startsWith(prefix)) ||
  paths.some((read) => path === read || path.startsWith(`${read}/`))
