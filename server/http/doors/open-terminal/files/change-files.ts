import { posix } from 'node:path'
import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { PlainError } from '../../../../base/errors/plain-error.ts'
import type { Person } from '../../../../doors/terminal/person.ts'
import {
  createFolder,
  deleteFile,
  moveFile,
  treeOf,
  writeFile,
} from '../../../../doors/terminal/person-files.ts'
import { slicesOf } from '../../../../fairness/loop-slices.ts'
import type { SessionServices } from '../../../../sessions/session-services.ts'
import { type Operation, operation } from '../operation.ts'
import { keptPath, requireKeptPath, shownPath, TerminalPath } from '../terminal-paths.ts'
import { Replacements, replaced } from './replacements.ts'
import { asText, wholeFile } from './text-file.ts'
import { modelPath } from './working-directory.ts'

/** Files that are written, moved and deleted. While a command of the person runs they are 409. */
export const changeOperations = (deps: SessionServices): Operation[] => [
  write(deps),
  replace(deps),
  mkdir(deps),
  move(deps),
  remove(deps),
]

const writtenMaxBytes = 1024 * 1024

const write = (deps: SessionServices): Operation =>
  operation({
    method: 'POST',
    path: '/files/write',
    tool: {
      operationId: 'write_file',
      summary: 'Write a file',
      description:
        'Write text to a file, at most 1 MiB. Creates parent directories. Overwrites a file that exists. Not while a command runs.',
    },
    body: Type.Object({
      path: TerminalPath('Path to write to, absolute or from the current directory.'),
      content: Type.String({ maxLength: writtenMaxBytes, description: 'Text content to write to the file.' }),
    }),
    maxBodyBytes: 2 * writtenMaxBytes,
    isWriting: true,
    handle: async (call) => {
      const { person, body } = call
      const path = requireKeptPath(await modelPath(deps, call, body.path))
      return store(deps, person, { path, text: body.content })
    },
  })

async function store(deps: SessionServices, person: Person, { path, text }: { path: string; text: string }) {
  const bytes = Buffer.from(text)
  const body = Readable.from(bytes.length > 0 ? [bytes] : [])
  await writeFile(deps, person, { path, contentLength: bytes.length, body })
  return { path: shownPath(path), size: bytes.length }
}

const replace = (deps: SessionServices): Operation =>
  operation({
    method: 'POST',
    path: '/files/replace',
    tool: {
      operationId: 'replace_file_content',
      summary: 'Replace content in a file',
      description:
        'Find and replace exact strings in a text file of at most 1 MiB. Not while a command runs.',
    },
    body: Type.Object({ path: TerminalPath('Path to the file to modify.'), replacements: Replacements }),
    maxBodyBytes: 2 * writtenMaxBytes,
    isWriting: true,
    handle: async (call) => {
      const { person, body, signal } = call
      const path = requireKeptPath(await modelPath(deps, call, body.path))
      const text = asText(await wholeFile(deps, person, { path, signal }))
      if (text === undefined) throw new PlainError(400, 'The file is not UTF-8 text')
      const slice = slicesOf(person.open.door.company_id)
      return store(deps, person, { path, text: await replaced(text, body.replacements, slice) })
    },
  })

const mkdir = (deps: SessionServices): Operation =>
  operation({
    method: 'POST',
    path: '/files/mkdir',
    body: Type.Object({ path: TerminalPath('Directory path to create.') }),
    isWriting: true,
    handle: async ({ person, body }) => {
      const path = requireKeptPath(body.path)
      await createFolder(deps, person, path)
      return { path: shownPath(path) }
    },
  })

const move = (deps: SessionServices): Operation =>
  operation({
    method: 'POST',
    path: '/files/move',
    body: Type.Object({ source: TerminalPath('What is moved.'), destination: TerminalPath('Its new path.') }),
    isWriting: true,
    handle: async ({ person, body }) => {
      const from = requireKeptPath(body.source)
      const to = requireKeptPath(body.destination)
      const tree = await treeOf(deps, person)
      if (!tree.has(from)) throw new PlainError(404, 'Source path not found')
      const parent = keptPath(posix.dirname(shownPath(to)))
      if (parent !== undefined && tree.get(parent)?.kind !== 'folder')
        throw new PlainError(400, 'Destination parent directory not found')
      if (tree.has(to)) throw new PlainError(409, 'Destination already exists')
      await moveFile(deps, person, { from, to })
      return { source: shownPath(from), destination: shownPath(to) }
    },
  })

const remove = (deps: SessionServices): Operation =>
  operation({
    method: 'DELETE',
    path: '/files/delete',
    query: Type.Object({ path: TerminalPath('Path to delete.') }),
    handle: async ({ person, query }) => {
      const path = requireKeptPath(query.path)
      const entry = (await treeOf(deps, person)).get(path)
      if (!entry) throw new PlainError(404, 'Path not found')
      await deleteFile(deps, person, path)
      return { path: shownPath(path), type: entry.kind === 'folder' ? 'directory' : 'file' }
    },
  })
