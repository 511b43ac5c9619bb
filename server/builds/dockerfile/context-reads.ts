import type { Instruction } from './instruction.ts'

/** Which paths of the context an instruction may read: at least those that it does. */
export interface ContextReads {
  /** Each with all that is below it. */
  paths: string[]
  /** Texts that a path begins with; the empty one is every path. */
  beginnings: string[]
}

const nothing: ContextReads = { paths: [], beginnings: [] }
const everything: ContextReads = { paths: [], beginnings: [''] }

/** These decide what of the context is there at all. */
const ignoreFiles = ['.dockerignore', '.containerignore']

/**
 * What `COPY` and `ADD` read. Sources that the builder makes of quotes, backslashes or variables are not followed: any
 * of them may be anything.
 */
export function contextReads({ keyword, flags, rest }: Instruction): ContextReads {
  const isCopy = keyword === 'COPY' || keyword === 'ADD'
  if (!isCopy || flags.some(({ name }) => name === 'from')) return nothing
  const sources = rest.split(/[\t ]+/).slice(0, -1)
  if (sources.length === 0 || /["'\\$]/.test(rest)) return everything
  const reads = sources.map(readsOfSource)
  return joinedReads([{ paths: ignoreFiles, beginnings: [] }, ...reads])
}

function readsOfSource(source: string): ContextReads {
  const segments = source.split('/').filter((segment) => segment !== '' && segment !== '.')
  if (segments.length === 0 || segments.includes('..')) return everything
  const path = segments.join('/')
  const pattern = path.search(/[*?[]/)
  return pattern === -1
    ? { paths: [path], beginnings: [] }
    : { paths: [], beginnings: [path.slice(0, pattern)] }
}

export const joinedReads = (all: ContextReads[]): ContextReads => ({
  paths: all.flatMap(({ paths }) => paths),
  beginnings: all.flatMap(({ beginnings }) => beginnings),
})

export const mayRead = ({ paths, beginnings }: ContextReads, path: string): boolean =>
  beginnings.some((beginning) => path.startsWith(beginning)) ||
  paths.some((read) => path === read || path.startsWith(`${read}/`))
