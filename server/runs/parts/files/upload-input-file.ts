import type { Readable } from 'node:stream'
import { inputFileMaxBytes, inputFileNameMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import { defaultMediaType, type InputFile } from '@sandbox-jobs/contract/resources/runs/input-file.ts'
import { lockAuthority } from '../../../access/authentication/lock-authority.ts'
import type { Principal } from '../../../access/principal.ts'
import { CodedError } from '../../../base/errors/coded-error.ts'
import { hasCode } from '../../../base/errors/has-code.ts'
import { invalid } from '../../../base/errors/validation-error.ts'
import { newId } from '../../../base/ids.ts'
import { closeStaging, dropStaging, openStaging } from '../../../environments/uploads/staging.ts'
import { ObjectTooLarge, type StoredObject } from '../../../storage/port.ts'
import type { RunServices } from '../../run-services.ts'
import { findInputFile, insertInputFile } from './input-file-store.ts'
import { renderInputFile } from './input-files.ts'

export interface FileSending {
  chatroomId: string
  name: string
  mediaType: string | undefined
  /** By `Content-Length`, if present. */
  contentLength: number | undefined
  body: Readable
}

/**
 * Stores a file for runs of the room as it was sent. Until one transaction gives the bytes to the file's row, they belong to
 * the lease of the upload, so that a refused or interrupted upload leaves nothing. Throws `not_found`,
 * `input_file_too_large`, `staging_slot_exhausted`, `storage_quota_exceeded` and `storage_unavailable`.
 */
export async function uploadInputFile(
  deps: RunServices,
  principal: Principal,
  sending: FileSending,
): Promise<InputFile> {
  const { db, directory } = deps
  const { companyId } = principal
  const room = await directory.requireRoom(principal, 'file.upload', sending.chatroomId)
  requireName(sending.name, ['query', 'name'])
  const declaredBytes = sending.contentLength ?? inputFileMaxBytes
  if (declaredBytes > inputFileMaxBytes) throw tooLarge()
  const id = newId('inputFile')
  const storageKey = `files/${companyId}/${id}`
  const lease = await openStaging(db, { companyId, kind: 'input', declaredBytes, storageKey })
  try {
    const stored = await store(deps, storageKey, sending.body)
    const row = await db.transaction().execute(async (trx) => {
      // The bytes may have taken minutes, in which the sender may have left the room.
      const sender = await lockAuthority(trx, principal)
      await directory.within(trx).requireRoom(sender, 'file.upload', room.id)
      if (!(await closeStaging(trx, companyId, lease))) throw new CodedError('storage_unavailable')
      await insertInputFile(trx, {
        id,
        company_id: companyId,
        chatroom_id: room.id,
        principal_type: principal.principalType,
        principal_id: principal.principalId,
        api_key_id: principal.apiKey?.id ?? null,
        name: sending.name,
        media_type: sending.mediaType ?? defaultMediaType,
        storage_key: storageKey,
        byte_size: stored.byteSize,
        digest: stored.digest,
      })
      return findInputFile(trx, { companyId, chatroomId: room.id, id })
    })
    if (!row) throw new Error('a new file is not there')
    return renderInputFile(row)
  } catch (error) {
    await dropStaging(deps, { companyId, lease, storageKey })
    throw error
  }
}

/** The check that the pattern of a name cannot make. */
export function requireName(name: string, loc: (string | number)[]): void {
  if (Buffer.byteLength(name) <= inputFileNameMaxBytes) return
  throw invalid(loc, 'too_long', `may have at most ${inputFileNameMaxBytes} bytes`)
}

async function store({ storage, log }: RunServices, key: string, body: Readable): Promise<StoredObject> {
  try {
    return await storage.put(key, body, { maxBytes: inputFileMaxBytes })
  } catch (error) {
    if (error instanceof ObjectTooLarge) throw tooLarge()
    if (hasCode(error, 'ECONNRESET')) throw invalid(['body'], 'incomplete', 'ended before it was whole')
    log.error({ err: error }, 'an input file could not be stored')
    throw new CodedError('storage_unavailable')
  }
}

const tooLarge = () => new CodedError('input_file_too_large', { limit: inputFileMaxBytes })
