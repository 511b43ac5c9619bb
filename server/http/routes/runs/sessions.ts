import { sessionRoutes } from '@sandbox-jobs/contract/routes/session-routes.ts'
import {
  createSession,
  listRoomSessions,
  listSessions,
  readSession,
  removeRoomSession,
  removeSession,
} from '../../../sessions/catalogue/sessions.ts'
import {
  createSessionFolder,
  deleteSessionFile,
  moveSessionFile,
} from '../../../sessions/files/change-files.ts'
import { listSessionFiles, openSessionFile } from '../../../sessions/files/read-files.ts'
import { writeSessionFile } from '../../../sessions/files/write-file.ts'
import { openSessionZip } from '../../../sessions/files/zip-files.ts'
import type { SessionServices } from '../../../sessions/session-services.ts'
import { attachment } from '../../../storage/downloads/download-headers.ts'
import type { Mount } from '../../mount.ts'
import { rawBodyOf } from '../../requests/raw-body.ts'
import {
  downloadRequestOf,
  goneSignal,
  sendDownload,
  untrustedHeaders,
} from '../../responses/send-download.ts'

/** Sessions and their files (contract part 3, D12). */
export function mountSessionRoutes(mount: Mount, services: SessionServices): void {
  mount(sessionRoutes.createSession, ({ principal, params, body }) =>
    createSession(services, principal, { chatroomId: params.cid, body }),
  )
  mount(sessionRoutes.listSessions, ({ principal, params, query }) =>
    listSessions(services, principal, { chatroomId: params.cid, query }),
  )
  mount(sessionRoutes.readSession, ({ principal, params }) =>
    readSession(services, principal, addressOf(params)),
  )
  mount(sessionRoutes.deleteSession, ({ principal, params }) =>
    removeSession(services, principal, addressOf(params)),
  )
  mount(sessionRoutes.listRoomSessions, ({ principal, params, query }) =>
    listRoomSessions(services, principal, { chatroomId: params.cid, query }),
  )
  mount(sessionRoutes.deleteRoomSession, ({ principal, params }) =>
    removeRoomSession(services, principal, addressOf(params)),
  )
  mountReading(mount, services)
  mountChanges(mount, services)
}

function mountReading(mount: Mount, services: SessionServices): void {
  mount(sessionRoutes.listSessionFiles, ({ principal, params, query }) =>
    listSessionFiles(services, principal, { ...addressOf(params), query }),
  )
  mount(sessionRoutes.readSessionFile, ({ principal, params, query, request, reply }) => {
    const wanted = downloadRequestOf(request, reply)
    const of = { ...addressOf(params), path: query.path, request: wanted }
    return sendDownload(reply, openSessionFile(services, principal, of))
  })
  mount(sessionRoutes.downloadSession, async ({ principal, params, query, reply }) => {
    const signal = goneSignal(reply)
    const of = { ...addressOf(params), path: query.path, signal }
    const { body, byteSize, name } = await openSessionZip(services, principal, of)
    return reply
      .headers({ ...untrustedHeaders, 'content-type': 'application/zip' })
      .header('content-disposition', attachment(name))
      .header('content-length', byteSize)
      .send(body)
  })
}

function mountChanges(mount: Mount, services: SessionServices): void {
  mount(sessionRoutes.writeSessionFile, async ({ principal, params, query, request }) => {
    const { body, contentLength } = rawBodyOf(request)
    try {
      const writing = { ...addressOf(params), path: query.path, contentLength, body }
      return await writeSessionFile(services, principal, writing)
    } finally {
      body.destroy()
    }
  })
  mount(sessionRoutes.deleteSessionFile, ({ principal, params, query }) =>
    deleteSessionFile(services, principal, { ...addressOf(params), path: query.path }),
  )
  mount(sessionRoutes.createSessionFolder, ({ principal, params, body }) =>
    createSessionFolder(services, principal, { ...addressOf(params), ...body }),
  )
  mount(sessionRoutes.moveSessionFile, ({ principal, params, body }) =>
    moveSessionFile(services, principal, { ...addressOf(params), ...body }),
  )
}

const addressOf = (params: { cid: string; sid: string }) => ({
  chatroomId: params.cid,
  sessionId: params.sid,
})
