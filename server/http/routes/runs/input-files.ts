import { Readable } from 'node:stream'
import { uploadContentType } from '@sandbox-jobs/contract/resources/environments/context-upload.ts'
import { inputFileRoutes } from '@sandbox-jobs/contract/routes/input-file-routes.ts'
import type { FastifyRequest } from 'fastify'
import { invalid } from '../../../base/errors/validation-error.ts'
import {
  type FileDeps,
  listRoomFiles,
  readInputFile,
  removeInputFile,
} from '../../../runs/files/input-files.ts'
import { type UploadDeps, uploadInputFile } from '../../../runs/files/upload-input-file.ts'
import type { Mount } from '../../mount.ts'
import { discardableBody } from '../../requests/discardable-body.ts'

export type InputFileServices = UploadDeps & FileDeps

/** Files for runs of a room (contract part 3, D6). */
export function mountInputFileRoutes(mount: Mount, services: InputFileServices): void {
  mount(inputFileRoutes.uploadInputFile, async ({ principal, params, query, request }) => {
    const { body, contentLength } = rawBodyOf(request)
    const { name, media_type: mediaType } = query
    try {
      const sending = { chatroomId: params.cid, name, mediaType, contentLength, body }
      return await uploadInputFile(services, principal, sending)
    } finally {
      body.destroy()
    }
  })
  mount(inputFileRoutes.listInputFiles, ({ principal, params, query }) =>
    listRoomFiles(services, principal, { chatroomId: params.cid, query }),
  )
  mount(inputFileRoutes.readInputFile, ({ principal, params }) =>
    readInputFile(services, principal, addressOf(params)),
  )
  mount(inputFileRoutes.deleteInputFile, ({ principal, params }) =>
    removeInputFile(services, principal, addressOf(params)),
  )
}

const addressOf = (params: { cid: string; fid: string }) => ({ chatroomId: params.cid, fileId: params.fid })

/** A file may be empty, which the parser hands over as no body. */
function rawBodyOf({ headers, body }: FastifyRequest): { body: Readable; contentLength: number | undefined } {
  const contentType = headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  const length = headers['content-length']
  const isEmpty = body === undefined && length === '0'
  if (contentType !== uploadContentType || !(isEmpty || body instanceof Readable)) {
    throw invalid(['header', 'content-type'], 'content_type', `must be ${uploadContentType}`)
  }
  return {
    body: body instanceof Readable ? discardableBody(body) : Readable.from([]),
    contentLength: length === undefined ? undefined : Number(length),
  }
}
