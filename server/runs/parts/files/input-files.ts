import { chatroomPageSizeDefault } from '@sandbox-jobs/contract/limits.ts'
import type { InputFile, InputFileList } from '@sandbox-jobs/contract/resources/runs/input-file.ts'
import { ownRunsOf } from '../../../access/own-runs.ts'
import type { Principal } from '../../../access/principal.ts'
import { CodedError, notFound } from '../../../base/errors/coded-error.ts'
import type { PageRequest } from '../../../base/page.ts'
import type { RunServices } from '../../run-services.ts'
import {
  deleteInputFile,
  type FileKey,
  findInputFile,
  type InputFileRow,
  listInputFiles,
  lockInputFile,
} from './input-file-store.ts'
import { isFileNeeded } from './run-file-store.ts'

export interface FileAddress {
  chatroomId: string
  fileId: string
}

/** The files of a room, newest first. A sandbox-scope key sees those that it uploaded. */
export async function listRoomFiles(
  { db, directory, pages }: RunServices,
  principal: Principal,
  { chatroomId, query }: { chatroomId: string; query: PageRequest },
): Promise<InputFileList> {
  const room = await directory.requireRoom(principal, 'file.read', chatroomId)
  const list = `files:${room.id}`
  const size = query.page_size ?? chatroomPageSizeDefault
  const [beforeId] = pages.read(list, query.page_token) ?? []
  const of = {
    companyId: room.company_id,
    chatroomId: room.id,
    apiKeyId: ownRunsOf(principal, 'file.read'),
  }
  const rows = await listInputFiles(db, of, {
    beforeId: typeof beforeId === 'string' ? beforeId : undefined,
    limit: size + 1,
  })
  return pages.page(list, rows, size, { item: renderInputFile, cursor: ({ id }) => [id] })
}

export async function readInputFile(
  { db, directory }: RunServices,
  principal: Principal,
  { chatroomId, fileId }: FileAddress,
): Promise<InputFile> {
  const room = await directory.requireRoom(principal, 'file.read', chatroomId)
  const row = await findInputFile(db, keyOf(principal, 'file.read', { chatroomId: room.id, fileId }))
  if (!row) throw notFound()
  return renderInputFile(row)
}

/**
 * Deletes a file, for whoever uploaded it and for managers of the room. Throws `not_found` for all others, and `in_use`
 * while a run that has not ended takes it.
 */
export async function removeInputFile(
  { db, directory, storage }: RunServices,
  principal: Principal,
  { chatroomId, fileId }: FileAddress,
): Promise<InputFile> {
  const room = await directory.requireRoom(principal, 'file.delete', chatroomId)
  const key = keyOf(principal, 'file.delete', { chatroomId: room.id, fileId })
  const found = await findInputFile(db, key)
  if (!found) throw notFound()
  if (!isUploader(principal, found)) await directory.requireRoom(principal, 'file.delete_any', room.id)
  return db.transaction().execute(async (trx) => {
    const row = await lockInputFile(trx, key)
    if (!row) throw notFound()
    if (await isFileNeeded(trx, row)) throw new CodedError('in_use')
    // Before the row: what a crash leaves is a row without bytes, which is deleted again.
    await storage.delete(row.storage_key)
    await deleteInputFile(trx, row)
    return renderInputFile(row)
  })
}

const keyOf = (
  principal: Principal,
  action: 'file.read' | 'file.delete',
  { chatroomId, fileId }: FileAddress,
): FileKey => ({
  companyId: principal.companyId,
  chatroomId,
  id: fileId,
  apiKeyId: ownRunsOf(principal, action),
})

const isUploader = ({ principalType, principalId }: Principal, row: InputFileRow): boolean =>
  row.principal_type === principalType && row.principal_id === principalId

export const renderInputFile = (row: InputFileRow): InputFile => ({
  id: row.id,
  chatroom_id: row.chatroom_id,
  name: row.name,
  media_type: row.media_type,
  byte_size: row.byte_size,
  digest: row.digest,
  uploaded_by: row.principal_id,
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
})
