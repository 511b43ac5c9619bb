import { Type } from 'typebox'
import { about } from '../about.ts'
import { ChatroomId, SessionId } from '../identifiers.ts'
import { chatroomPageSizeDefault } from '../limits.ts'
import { pageFields } from '../pagination.ts'
import { Session, SessionCreateRequest, SessionList } from '../resources/sessions/session.ts'
import {
  listDepths,
  SessionFile,
  SessionFileList,
  SessionFolderQuery,
  SessionFolderRequest,
  SessionMoveRequest,
  SessionPathQuery,
} from '../resources/sessions/session-file.ts'
import { Strict } from '../schema.ts'
import { extensionPrefix } from './prefixes.ts'
import { route } from './route.ts'
import { ChatroomParams } from './run-routes.ts'

const sessions = `${extensionPrefix}/chatrooms/{cid}/sessions` as const
const session = `${sessions}/{sid}` as const
const roomSessions = `${extensionPrefix}/chatrooms/{cid}/room-sessions` as const
const files = `${session}/files` as const
const SessionParams = Strict({ cid: ChatroomId, sid: SessionId })
const tenant = { tag: 'Sessions' } as const
const own = { ...tenant, action: 'session.use', params: SessionParams } as const
const managed = { ...tenant, action: 'session.manage' } as const
const changeErrors = ['not_found', 'session_in_use', 'session_path_conflict', 'session_full'] as const
const storeErrors = ['storage_quota_exceeded', 'disk_space_low'] as const

/** Errors of every request that gives a session to a run. */
export const runSessionErrors = ['session_not_found', 'session_in_use', 'session_too_large'] as const

/** Files that stay between runs (contract part 3, D12), for the person who created the session; managers of its room see that it exists. */
export const sessionRoutes = {
  createSession: route({
    ...tenant,
    action: 'session.create',
    method: 'POST',
    path: sessions,
    summary: 'Create a session: files that stay between runs of a room',
    description:
      'Name it in `session` of submitExtendedRun, runAndWait or quickRunInSession: the job finds the files in `/workspace/session`, and what it leaves there is kept. With `fork_of` it starts with the files of another session, without a copy of their bytes; both change independently from then on.',
    params: ChatroomParams,
    body: SessionCreateRequest,
    bodyOptional: true,
    response: Session,
    errors: ['not_found', 'session_not_found', 'session_size_limit', ...storeErrors],
  }),
  listSessions: route({
    ...tenant,
    action: 'session.list',
    method: 'GET',
    path: sessions,
    summary: 'List the sessions of the caller in a chatroom, newest first',
    description: 'A key with sandbox scope sees those that it created. Expired ones are left out.',
    params: ChatroomParams,
    query: Type.Object(pageFields(chatroomPageSizeDefault)),
    response: SessionList,
    errors: ['not_found'],
  }),
  readSession: route({
    ...own,
    method: 'GET',
    path: session,
    summary: 'Read the size, use and expiry of a session',
    description: 'Only the person who created it finds it here.',
    response: Session,
    errors: ['not_found'],
  }),
  deleteSession: route({
    ...own,
    method: 'DELETE',
    path: session,
    summary: 'Delete a session with its files',
    description:
      '`session_in_use` while a run holds it: cancel the run first. The answer is the session as it was. Its forks stay.',
    response: Session,
    errors: ['not_found', 'session_in_use'],
  }),
  listRoomSessions: route({
    ...managed,
    method: 'GET',
    path: roomSessions,
    summary: 'List the sessions of everybody in a chatroom, newest first',
    description:
      'For managers of the room: whose they are, their sizes and their use. Their files stay with the person who created them.',
    params: ChatroomParams,
    query: Type.Object(pageFields(chatroomPageSizeDefault)),
    response: SessionList,
    errors: ['not_found'],
  }),
  deleteRoomSession: route({
    ...managed,
    method: 'DELETE',
    path: `${roomSessions}/{sid}`,
    summary: 'Delete a session of anybody in a chatroom, with its files',
    description:
      'For managers of the room. `session_in_use` while a run holds it: cancel the run first. The answer is the session as it was. Its forks stay.',
    params: SessionParams,
    response: Session,
    errors: ['not_found', 'session_in_use'],
  }),
  listSessionFiles: route({
    ...own,
    method: 'GET',
    path: files,
    summary: 'List files, folders and links of a session by path',
    description:
      'As the last change left them: while a run holds the session, as they were before it. Names are what programs wrote; show them as plain text.',
    query: Type.Object({
      ...pageFields(chatroomPageSizeDefault),
      ...SessionFolderQuery.properties,
      depth: about(
        '`one`: what is directly in the folder; `all`: what is in its folders too.',
        Type.Optional(Type.Enum(listDepths, { type: 'string', default: 'one' })),
        'all',
      ),
    }),
    response: SessionFileList,
    errors: ['not_found'],
  }),
  deleteSessionFile: route({
    ...own,
    method: 'DELETE',
    path: files,
    summary: 'Delete a file, a link, or a folder with all that is in it',
    description: 'The answer is the session after the change.',
    query: SessionPathQuery,
    response: Session,
    errors: ['not_found', 'session_in_use', ...storeErrors],
  }),
  readSessionFile: route({
    ...own,
    method: 'GET',
    path: `${session}/content`,
    summary: 'Download a file of a session; accepts a Range header',
    description: 'Links are not followed, and folders have no bytes: both answer 404.',
    ranges: true,
    query: SessionPathQuery,
    errors: ['not_found', 'downloads_busy', 'range_not_satisfiable'],
  }),
  writeSessionFile: route({
    ...own,
    method: 'PUT',
    path: `${session}/content`,
    summary: 'Write a file of a session, as raw bytes',
    description:
      'Replaces a file or a link of that path, never a folder; missing folders are created. The file appears whole or not at all. An executable file stays executable. Send `Content-Length`: without it, the request reserves what the session has left.',
    query: SessionPathQuery,
    bodyKind: 'octet-stream',
    response: SessionFile,
    errors: [...changeErrors, ...storeErrors, 'staging_slot_exhausted'],
  }),
  createSessionFolder: route({
    ...own,
    method: 'POST',
    path: `${files}/folders`,
    summary: 'Create a folder in a session',
    description: 'With the folders above it; one that exists is no error.',
    body: SessionFolderRequest,
    response: SessionFile,
    errors: [...changeErrors, ...storeErrors],
  }),
  moveSessionFile: route({
    ...own,
    method: 'POST',
    path: `${files}/move`,
    summary: 'Move a file, a link, or a folder with all that is in it',
    description: 'The target of a link stays as it is.',
    body: SessionMoveRequest,
    response: SessionFile,
    errors: [...changeErrors, ...storeErrors],
  }),
  downloadSession: route({
    ...own,
    method: 'GET',
    path: `${session}/files.zip`,
    summary: 'Download the files of a session, or of one folder, as a zip archive',
    description: 'Links and empty folders are left out. Without a file, the answer is 404.',
    mediaType: 'application/zip',
    query: SessionFolderQuery,
    errors: ['not_found', 'downloads_busy'],
  }),
}
