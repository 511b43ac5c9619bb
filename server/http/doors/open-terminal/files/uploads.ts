import { posix } from 'node:path'
import { Readable } from 'node:stream'
import { sessionBytesMax } from '@sandbox-jobs/contract/limits.ts'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { writeFile } from '../../../../doors/terminal/person-files.ts'
import type { SessionServices } from '../../../../sessions/session-services.ts'
import { openFileAfterFields, requireMultipart } from '../../../requests/file-part.ts'
import { type Operation, operation } from '../operation.ts'
import { requireKeptPath, shownPath, TerminalPath } from '../terminal-paths.ts'

/** A file of a form, which the platform sends for a person. */
export const uploadOperation = (deps: SessionServices): Operation =>
  operation({
    method: 'POST',
    path: '/files/upload',
    bodyKind: 'multipart',
    query: Type.Object({ directory: TerminalPath('Destination directory of the file.') }),
    isWriting: true,
    handle: async ({ person, query, request }) => {
      requireMultipart(request)
      const { filename, body } = await openFileAfterFields(request, sessionBytesMax)
      const stream = Readable.from(body, { objectMode: false })
      try {
        const name = posix.basename(filename) || 'upload'
        const path = requireKeptPath(`${query.directory}/${name}`)
        const { byte_size } = await writeFile(deps, person, {
          path,
          contentLength: declaredBytes(request),
          body: stream,
        })
        return { path: shownPath(path), size: byte_size }
      } finally {
        stream.destroy()
      }
    },
  })

/** The whole body is at least as large as the file in it. */
function declaredBytes({ headers }: FastifyRequest): number | undefined {
  const length = Number(headers['content-length'])
  return Number.isSafeInteger(length) ? length : undefined
}
