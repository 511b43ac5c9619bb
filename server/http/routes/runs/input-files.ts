import { inputFileRoutes } from '@sandbox-jobs/contract/routes/input-file-routes.ts'
import { listRoomFiles, readInputFile, removeInputFile } from '../../../runs/parts/files/input-files.ts'
import { uploadInputFile } from '../../../runs/parts/files/upload-input-file.ts'
import type { RunServices } from '../../../runs/run-services.ts'
import type { Mount } from '../../mount.ts'
import { rawBodyOf } from '../../requests/raw-body.ts'

/** Files for runs of a room (contract part 3, D6). */
export function mountInputFileRoutes(mount: Mount, services: RunServices): void {
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
