import { sessionPathMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import { Type } from 'typebox'
import { PlainError } from '../../../../base/errors/plain-error.ts'
import type { DoorServices } from '../../../../doors/door-services.ts'
import type { Command } from '../../../../doors/terminal/command.ts'
import { readOutput } from '../../../../doors/terminal/command-output.ts'
import { homeDir } from '../../../../doors/terminal/command-script.ts'
import { killCommand, startCommand } from '../../../../doors/terminal/commands.ts'
import { grepCommand } from '../../../../doors/terminal/grep-command.ts'
import { treeOf } from '../../../../doors/terminal/person-files.ts'
import { type Slice, slicesOf } from '../../../../fairness/loop-slices.ts'
import type { Tree } from '../../../../sessions/trees/tree.ts'
import { endedWords } from '../../ended-words.ts'
import { type Operation, operation, type TerminalCall } from '../operation.ts'
import { keptPath, shownPath, TerminalPath } from '../terminal-paths.ts'
import { maxResults, maxResultsDefault, Patterns, patternsOf } from './search-names.ts'
import { modelPath } from './working-directory.ts'

/*
 * Files by content. A regular expression of a tenant runs in a sandbox, not here: the search is a command of the person, and its
 * output is read as the list of matches.
 */

const waitSeconds = 30
const lineMaxLength = 8192
const shownMaxLength = 1000

const Query = Type.Object({
  query: Type.String({
    minLength: 1,
    maxLength: 4096,
    pattern: '^[^\\u0000\\n]+$',
    description: 'Text or extended regular expression to search for.',
  }),
  path: Type.Optional(TerminalPath('Directory or file to search in. By default the current one.')),
  regex: Type.Optional(Type.Boolean({ description: 'Set false for a literal search. By default true.' })),
  case_insensitive: Type.Optional(Type.Boolean({ description: 'Ignore case. By default false.' })),
  include: Patterns("Glob patterns of file names, such as '*.py': files must match one."),
  match_per_line: Type.Optional(
    Type.Boolean({ description: 'Set false to get only the names of files. By default true.' }),
  ),
  max_results: maxResults,
})

export const grepOperation = (deps: DoorServices): Operation =>
  operation({
    method: 'GET',
    path: '/files/grep',
    tool: {
      operationId: 'grep_search',
      summary: 'Search file contents',
      description:
        'Search the text files of a directory for a pattern. Returns files, line numbers and lines. Waits while a command runs.',
    },
    query: Query,
    isWriting: true,
    handle: async (call) => {
      const { person, query } = call
      const path = keptPath(await modelPath(deps, call, query.path))
      const tree = await treeOf(deps, person)
      if (path !== undefined && !tree.has(path)) throw new PlainError(404, 'Search path not found')
      const perLine = query.match_per_line ?? true
      const text = grepCommand(query.query, {
        at: shownPath(path),
        isRegex: query.regex ?? true,
        ignoresCase: query.case_insensitive ?? false,
        namesOnly: !perLine,
        include: patternsOf(query.include ?? []),
      })
      const output = tree.size === 0 ? { text: '', isCut: false } : await search(deps, call, text)
      const slice = slicesOf(person.open.door.company_id)
      const matches = await matchesOf(output.text, { tree, perLine, slice })
      const limit = query.max_results ?? maxResultsDefault
      return {
        query: query.query,
        path: shownPath(path),
        matches: matches.slice(0, limit),
        truncated: output.isCut || matches.length > limit,
      }
    },
  })

async function search(deps: DoorServices, call: TerminalCall<unknown, unknown>, text: string) {
  const { person, signal, open } = call
  const command = { text, folder: homeDir, env: {} }
  const searching = await startCommand(deps, person, { command, wait: { seconds: waitSeconds, signal } })
  if (!searching.end) {
    await killCommand(deps, person, { id: searching.id, signal })
    throw new PlainError(
      409,
      'Another command runs, or the search takes too long. Search a smaller directory.',
    )
  }
  requireExit(searching, open.door.timeout_seconds)
  const output = await readOutput(deps, person, { command: searching, wish: { offset: 0, fromEnd: false } })
  if (/^grep: bad regex/m.test(output.text)) throw new PlainError(400, 'Invalid regex')
  return output
}

function requireExit({ end }: Command, timeoutSeconds: number): void {
  const words = end && endedWords(end, timeoutSeconds)
  if (words !== undefined) throw new PlainError(503, words)
}

interface Match {
  file: string
  line?: number
  content?: string
}

/** Lines that name no file, and lines of files that are no text, are left out. */
/** Exported for its test. */
export async function matchesOf(
  text: string,
  { tree, perLine, slice }: { tree: Tree; perLine: boolean; slice: Slice },
): Promise<Match[]> {
  const matches: Match[] = []
  for (const line of text.split('\n')) {
    if (slice.isOver) await slice.next()
    const match = perLine ? matchOf(line.slice(0, lineMaxLength), tree) : nameOf(line, tree)
    if (match) matches.push(match)
  }
  return matches
}

const homePrefix = `${homeDir}/`
/** Where the path of a kept file ends at the latest. */
const pathEndMax = homePrefix.length + sessionPathMaxBytes

/** Of a path; a file with more in its path is not found. */
const colonsMax = 64

const isFile = (tree: Tree, path: string): boolean =>
  path.startsWith(homePrefix) && tree.get(path.slice(homePrefix.length))?.kind === 'file'

const nameOf = (line: string, tree: Tree): Match | undefined =>
  isFile(tree, line) ? { file: line } : undefined

const noText = /[\p{Cc}\ufffd]/u

/** A name may have colons, so the tree says where it ends, at the latest where the longest path does. */
function matchOf(text: string, tree: Tree): Match | undefined {
  if (!text.startsWith(homePrefix)) return undefined
  let colons = 0
  for (let at = text.indexOf(':'); at >= 0 && at <= pathEndMax; at = text.indexOf(':', at + 1)) {
    // Each look-up reads the path: thousands of lines with a thousand colons would take a second.
    colons += 1
    if (colons > colonsMax) return undefined
    if (!isFile(tree, text.slice(0, at))) continue
    const [whole, line] = /^:(\d{1,9}):/.exec(text.slice(at)) ?? []
    if (whole === undefined) continue
    const content = text.slice(at + whole.length).replace(/\r$/, '')
    if (noText.test(content.replaceAll('\t', ' '))) return undefined
    return { file: text.slice(0, at), line: Number(line), content: content.slice(0, shownMaxLength) }
  }
  return undefined
}
