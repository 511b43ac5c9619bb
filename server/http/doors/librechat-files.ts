import { Readable } from 'node:stream'
import { idPattern } from '@sandbox-jobs/contract/ids.ts'
import { artifactFilesMax, inputFileMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import { InputFileName } from '@sandbox-jobs/contract/resources/runs/input-file.ts'
import type { FastifyRequest } from 'fastify'
import { notFound } from '../../base/errors/coded-error.ts'
import type { OpenDoor } from '../../doors/catalogue/door-keys.ts'
import type { DoorServices } from '../../doors/door-services.ts'
import { openResult } from '../../runs/downloads/read-results.ts'
import { readInputFile } from '../../runs/parts/files/input-files.ts'
import { uploadInputFile } from '../../runs/parts/files/upload-input-file.ts'
import { listArtifactFiles } from '../../runs/read/results/read-artifacts.ts'
import { openFileAfterFields, requireMultipart } from '../requests/file-part.ts'
import { isValid, validatorOf } from '../requests/validation.ts'
import { downloadRequestOf, sendDownload } from '../responses/send-download.ts'
import type { DoorCall } from './door-mount.ts'

/*
 * Files as LibreChat knows them: each has an id and belongs to a session. Here a session is a run, whose files are its
 * artifacts, or one uploaded file, which is its own session, since LibreChat asks once per session whether it is still there.
 */

/** A file of a session, in the fields that the versions of LibreChat's client read. */
export interface SessionFile {
  id: string
  name: string
  session_id: string
  storage_session_id: string
  path: string
}

export const sessionFile = (sessionId: string, id: string, name: string): SessionFile => ({
  id,
  name,
  session_id: sessionId,
  storage_session_id: sessionId,
  path: name,
})

export const isUploadId = (text: string): boolean => idPattern('inputFile').test(text)
export const isRunId = (text: string): boolean => idPattern('run').test(text)
const isArtifactId = (text: string): boolean => idPattern('artifact').test(text)

const isFileName = validatorOf('body', InputFileName)

/** Stores a file for programs of this door. */
export async function uploadFile(services: DoorServices, { open, request }: DoorCall) {
  requireMultipart(request)
  const { filename, body } = await openFileAfterFields(request, inputFileMaxBytes)
  const name = plainName(filename)
  const stream = Readable.from(body, { objectMode: false })
  try {
    const sending = { chatroomId: open.door.chatroom_id, name, mediaType: undefined, body: stream }
    const { id } = await uploadInputFile(services, open.reader, {
      ...sending,
      contentLength: declaredBytes(request),
    })
    const files = [{ fileId: id, filename: name, status: 'success' }]
    return { message: 'success', session_id: id, storage_session_id: id, files }
  } finally {
    stream.destroy()
  }
}

/** The whole body is at least as large as the file in it. */
function declaredBytes({ headers }: FastifyRequest): number {
  const length = Number(headers['content-length'] ?? inputFileMaxBytes)
  return Number.isSafeInteger(length) ? Math.min(length, inputFileMaxBytes) : inputFileMaxBytes
}

/** The last part of the name, with other characters where a file cannot have them. */
function plainName(filename: string): string {
  const last = filename.split(/[/\\]/).at(-1) ?? ''
  const name = last.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '_')
  return isValid(isFileName, name) ? name : 'file'
}

interface FileParams {
  sid: string
  fid: string
}

const fileParams = ({ params }: FastifyRequest) => params as FileParams

/** Sends a file that a program left. */
export function downloadFile(services: DoorServices, { open, request, reply }: DoorCall) {
  const { sid, fid } = fileParams(request)
  if (!isRunId(sid) || !isArtifactId(fid)) throw notFound()
  const wanted = downloadRequestOf(request, reply)
  const of = { chatroomId: open.door.chatroom_id, runId: sid, request: wanted }
  const object = { kind: 'artifact' as const, artifactId: fid }
  return sendDownload(reply, openResult(services, open.reader, { ...of, object }))
}

/** The files of a session. `detail` is for older clients, which find the id in the name. */
export async function listFiles(services: DoorServices, { open, request }: DoorCall) {
  const { sid } = fileParams(request)
  const { detail } = request.query as { detail?: string }
  const files = await filesOf(services, open, sid)
  return files.map(({ size, lastModified, ...file }) => ({
    ...file,
    name: detail === 'full' || detail === 'summary' ? `${sid}/${file.id}` : file.name,
    size,
    lastModified,
    metadata: { 'original-filename': file.name },
  }))
}

/** Whether a file is still there, and from when it is. */
export async function readFile(services: DoorServices, { open, request }: DoorCall) {
  const { sid, fid } = fileParams(request)
  const file = (await filesOf(services, open, sid)).find(({ id }) => id === fid)
  if (!file) throw notFound()
  return file
}

async function filesOf(services: DoorServices, { door, reader }: OpenDoor, sessionId: string) {
  const { chatroom_id: chatroomId } = door
  if (isUploadId(sessionId)) {
    const { name, byte_size, created_at } = await readInputFile(services, reader, {
      chatroomId,
      fileId: sessionId,
    })
    return [{ ...sessionFile(sessionId, sessionId, name), size: byte_size, lastModified: created_at }]
  }
  if (!isRunId(sessionId)) throw notFound()
  const address = { chatroomId, runId: sessionId }
  const files = await listArtifactFiles(services, reader, { ...address, limit: artifactFilesMax })
  return files.map(({ id, path, byteSize, modifiedAt }) => ({
    ...sessionFile(sessionId, id, path),
    size: byteSize,
    lastModified: modifiedAt?.toISOString() ?? null,
  }))
}
