import { posix } from 'node:path'
import { Type } from 'typebox'
import { PlainError } from '../../../../base/errors/plain-error.ts'
import { treeOf } from '../../../../doors/terminal/person-files.ts'
import { type Slice, slicesOf } from '../../../../fairness/loop-slices.ts'
import type { SessionServices } from '../../../../sessions/session-services.ts'
import { entriesBelow, type Tree } from '../../../../sessions/trees/tree.ts'
import { type Operation, operation } from '../operation.ts'
import { keptPath, shownPath, TerminalPath } from '../terminal-paths.ts'
import { patternMaxLength, searchBudget, wildcard } from './wildcards.ts'
import { modelPath } from './working-directory.ts'

export const maxResults = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 500, description: 'Maximum number of matches. By default 50.' }),
)
export const maxResultsDefault = 50

export const Patterns = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 16 * patternMaxLength }), {
      maxItems: 16,
      description,
    }),
  )

/** The platform writes a list of several patterns as one text, `['*.py', '*.js']`. */
export const patternsOf = (sent: readonly string[]): string[] =>
  sent
    .flatMap((text) =>
      text.startsWith("['") ? [...text.matchAll(/'([^']*)'/g)].map(([, one = '']) => one) : [text],
    )
    .slice(0, 16)
    .map((pattern) => pattern.slice(0, patternMaxLength))

/** Files and directories by name. */
export const globOperation = (deps: SessionServices): Operation =>
  operation({
    method: 'GET',
    path: '/files/glob',
    tool: {
      operationId: 'glob_search',
      summary: 'Search files by name',
      description:
        'Find files and directories below a directory by a glob pattern, with their relative path, type and size.',
    },
    query: Type.Object({
      pattern: Type.String({
        minLength: 1,
        maxLength: patternMaxLength,
        description: "Glob pattern for the name or the relative path, such as '*.py'.",
      }),
      path: Type.Optional(TerminalPath('Directory to search in. By default the current one.')),
      exclude: Patterns('Glob patterns of results to leave out.'),
      type: Type.Optional(
        Type.String({ pattern: '^(file|directory|any)$', description: "'file', 'directory', or 'any'." }),
      ),
      max_results: maxResults,
    }),
    handle: async (call) => {
      const { person, query } = call
      const path = keptPath(await modelPath(deps, call, query.path))
      const tree = await treeOf(deps, person)
      requireFolder(tree, path)
      const found = await namesBelow(tree, path, { ...query, slice: slicesOf(person.open.door.company_id) })
      const limit = query.max_results ?? maxResultsDefault
      return {
        pattern: query.pattern,
        path: shownPath(path),
        matches: found.matches.slice(0, limit),
        truncated: found.isCut || found.matches.length > limit,
      }
    },
  })

interface NameQuery {
  pattern: string
  exclude?: string[]
  type?: string
  slice: Slice
}

async function namesBelow(
  tree: Tree,
  folder: string | undefined,
  { pattern, exclude = [], type = 'any', slice }: NameQuery,
) {
  const budget = searchBudget()
  const wanted = wildcard(pattern)
  const unwanted = patternsOf(exclude).map(wildcard)
  const start = folder === undefined ? 0 : folder.length + 1
  const matches: { path: string; type: string; size: number }[] = []
  for (const entry of entriesBelow(tree, folder, 'all')) {
    if (slice.isOver) await slice.next()
    const kind = entry.kind === 'folder' ? 'directory' : 'file'
    const path = entry.path.slice(start)
    const names = [posix.basename(path), path]
    const isWanted =
      (type === 'any' || type === kind) &&
      names.some((name) => wanted(name, budget)) &&
      !unwanted.some((fits) => names.some((name) => fits(name, budget)))
    if (isWanted) matches.push({ path, type: kind, size: entry.kind === 'file' ? entry.byteSize : 0 })
  }
  return { matches, isCut: budget.steps < 0 }
}

/** Throws 404 in the platform's words. */
function requireFolder(tree: Tree, path: string | undefined): void {
  if (path !== undefined && tree.get(path)?.kind !== 'folder')
    throw new PlainError(404, 'Search directory not found')
}
