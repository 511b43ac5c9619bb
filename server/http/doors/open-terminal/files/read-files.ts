import { posix } from 'node:path'
import { Type } from 'typebox'
import { unknownTime } from '../../../../../reader/formats/file-time.ts'
import { PlainError } from '../../../../base/errors/plain-error.ts'
import { firstBytesOf, openFile, openZip, treeOf } from '../../../../doors/terminal/person-files.ts'
import { type Slice, slicesOf } from '../../../../fairness/loop-slices.ts'
import { isRaster, mediaTypeOf, sniffedBytes } from '../../../../runs/links/media-type.ts'
import type { SessionServices } from '../../../../sessions/session-services.ts'
import { entriesBelow, type Tree, type TreeEntry } from '../../../../sessions/trees/tree.ts'
import { attachment } from '../../../../storage/downloads/download-headers.ts'
import { downloadRequestOf, sendDownload, untrustedHeaders } from '../../../responses/send-download.ts'
import { type Operation, operation, type TerminalCall } from '../operation.ts'
import { keptPath, shownPath, TerminalPath, wayHome } from '../terminal-paths.ts'
import { asText, linesOf, requireFile, wholeFile } from './text-file.ts'
import { directoryOperations, modelPath } from './working-directory.ts'

/** Files that are listed, read and sent. */
export const readOperations = (deps: SessionServices): Operation[] => [
  ...directoryOperations(deps),
  list(deps),
  read(deps),
  display(deps),
  view(deps),
  serve(deps),
  archive(deps),
]

const Directory = TerminalPath('Directory path to list. By default the current one.')

const list = (deps: SessionServices): Operation =>
  operation({
    method: 'GET',
    path: '/files/list',
    tool: {
      operationId: 'list_files',
      summary: 'List directory contents',
      description: 'Return the files and directories at the given path.',
    },
    query: Type.Object({ directory: Type.Optional(Directory) }),
    handle: async (call) => {
      const { person, query, reply } = call
      const asked = await modelPath(deps, call, query.directory)
      const above = wayHome(asked)
      if (above) return { dir: above.at, entries: [{ name: above.next, type: 'directory', size: 0 }] }
      const path = keptPath(asked)
      const tree = await treeOf(deps, person)
      requireFolder(tree, path)
      const entries = await listedAsJson(
        entriesBelow(tree, path, 'one'),
        slicesOf(person.open.door.company_id),
      )
      return reply
        .type('application/json; charset=utf-8')
        .send(`{"dir":${JSON.stringify(shownPath(path))},"entries":${entries}}`)
    },
  })

/** A folder may have all the entries of a session, which are megabytes. */
async function listedAsJson(entries: readonly TreeEntry[], slice: Slice): Promise<string> {
  const texts: string[] = []
  for (const entry of entries) {
    if (slice.isOver) await slice.next()
    texts.push(JSON.stringify(listed(entry)))
  }
  return `[${texts.join(',')}]`
}

/** Only files are listed with a time, in seconds since 1970. */
const listed = (entry: TreeEntry) => ({
  name: posix.basename(entry.path),
  type: entry.kind === 'folder' ? 'directory' : 'file',
  size: entry.kind === 'file' ? entry.byteSize : 0,
  ...(entry.kind === 'file' && entry.modifiedAt !== unknownTime && { modified: entry.modifiedAt }),
})

/** Throws 404 in the platform's words. */
function requireFolder(tree: Tree, path: string | undefined): void {
  if (path !== undefined && tree.get(path)?.kind !== 'folder')
    throw new PlainError(404, 'Directory not found')
}

const line = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description }))

const read = (deps: SessionServices): Operation =>
  operation({
    method: 'GET',
    path: '/files/read',
    tool: {
      operationId: 'read_file',
      summary: 'Read a file',
      description:
        'Return the contents of a text file of at most 1 MiB, or a range of its lines. An image is returned as it is. Use display_file to show a file to the user.',
    },
    query: Type.Object({
      path: TerminalPath('Path to the file to read.'),
      start_line: line('First line to return, from 1. By default the first.'),
      end_line: line('Last line to return. By default the last.'),
    }),
    handle: async (call) => {
      const { person, query, reply, signal } = call
      const path = keptPath(await modelPath(deps, call, query.path))
      const bytes = await wholeFile(deps, person, { path, signal })
      await slicesOf(person.open.door.company_id).next()
      const text = asText(bytes)
      if (text !== undefined) {
        const { content, total } = linesOf(text, { first: query.start_line, last: query.end_line })
        return { path: shownPath(path), total_lines: total, content }
      }
      const type = mediaTypeOf(query.path, bytes.subarray(0, sniffedBytes), bytes.length <= sniffedBytes)
      if (type === undefined || !isRaster(type))
        throw new PlainError(415, `Unsupported binary file type (${bytes.length} bytes)`)
      return reply.headers({ ...untrustedHeaders, 'content-type': type }).send(bytes)
    },
  })

const display = (deps: SessionServices): Operation =>
  operation({
    method: 'GET',
    path: '/files/display',
    tool: {
      operationId: 'display_file',
      summary: 'Display a file to the user',
      description: "Open a file in the user's file viewer. Use read_file to read it yourself.",
    },
    query: Type.Object({ path: TerminalPath('Path to the file to display.') }),
    handle: async (call) => {
      const { person, query } = call
      const path = keptPath(await modelPath(deps, call, query.path))
      const exists = path !== undefined && (await treeOf(deps, person)).get(path)?.kind === 'file'
      return { path: shownPath(path), exists }
    },
  })

const view = (deps: SessionServices): Operation =>
  operation({
    method: 'GET',
    path: '/files/view',
    query: Type.Object({ path: TerminalPath('Path to the file to view.') }),
    handle: async (call) => send(deps, call, call.query.path),
  })

/** The same with the path in the address. */
const serve = (deps: SessionServices): Operation =>
  operation({
    method: 'GET',
    path: '/files/serve/*',
    handle: async (call) => send(deps, call, `/${call.params['*'] ?? ''}`),
  })

/** Nothing is shown that could be a page: images have their type, everything else is a download. */
async function send(deps: SessionServices, call: TerminalCall<unknown, unknown>, shown: string) {
  const { person, request, reply, signal } = call
  const path = await requireFile(deps, person, keptPath(shown))
  const { bytes, byteSize } = await firstBytesOf(deps, person, { path, maxBytes: sniffedBytes, signal })
  const type = mediaTypeOf(path, bytes, byteSize <= sniffedBytes)
  const wanted = downloadRequestOf(request, reply)
  const opened = openFile(deps, person, { path, request: wanted }).then((download) => ({
    ...download,
    headers: type === undefined ? {} : { 'content-type': type },
  }))
  return sendDownload(reply, opened)
}

const archive = (deps: SessionServices): Operation =>
  operation({
    method: 'POST',
    path: '/files/archive',
    body: Type.Object({
      paths: Type.Array(TerminalPath('A file or a directory.'), { minItems: 1, maxItems: 100 }),
    }),
    handle: async ({ person, body, reply, signal }) => {
      const paths = body.paths.map((path) => keptPath(path))
      const tree = await treeOf(deps, person)
      if (paths.some((path) => path !== undefined && !tree.has(path)))
        throw new PlainError(404, 'Path not found')
      const zip = await openZip(deps, person, { paths, signal })
      const name = paths.length === 1 ? posix.basename(shownPath(paths[0])) : 'download'
      return reply
        .headers({ ...untrustedHeaders, 'content-type': 'application/zip' })
        .header('content-disposition', attachment(`${name}.zip`))
        .header('content-length', zip.byteSize)
        .send(zip.body)
    },
  })
