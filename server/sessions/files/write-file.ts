import type { Readable } from 'node:stream'
import { inputFileUploadsMax } from '@sandbox-jobs/contract/limits.ts'
import type { SessionFile } from '@sandbox-jobs/contract/resources/sessions/session-file.ts'
import { fileTimeOf } from '../../../reader/formats/file-time.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { hasCode } from '../../base/errors/has-code.ts'
import { invalid } from '../../base/errors/validation-error.ts'
import { newId } from '../../base/ids.ts'
import { requireStorageQuota } from '../../companies/storage/storage-quota.ts'
import { lockCompany } from '../../db/company-lock.ts'
import { ObjectTooLarge, type StoredObject } from '../../storage/port.ts'
import { requireSession, type SessionAddress } from '../catalogue/session-access.ts'
import type { SessionRow } from '../catalogue/session-store.ts'
import type { SessionServices } from '../session-services.ts'
import { countWrittenPacks, giveUpPack, insertPack, packKey, settlePack } from '../trees/pack-store.ts'
import { removeUnused } from '../trees/remove-unused.ts'
import { executableBit, newFileMode, requirePath, type TreeFile, withEntry } from '../trees/tree.ts'
import { changeFiles, requireFree } from './change-files.ts'
import { renderEntry } from './read-files.ts'

export interface FileWriting extends SessionAddress {
  path: string
  /** By `Content-Length`, if present. */
  contentLength: number | undefined
  body: Readable
}

/** Longer than the HTTP server's limit for a request. */
const heldSeconds = 20 * 60

/**
 * Stores a file in a session. Its bytes belong to a pack that is held until the transaction that changes the tree names it, so
 * a refused or interrupted request leaves nothing. Throws `not_found`, `session_in_use`, `session_path_conflict`,
 * `session_full`, `staging_slot_exhausted`, `storage_quota_exceeded` and `storage_unavailable`.
 */
export async function writeSessionFile(
  deps: SessionServices,
  principal: Principal,
  { path, contentLength, body, ...address }: FileWriting,
): Promise<SessionFile> {
  requirePath(path, ['query', 'path'])
  const { session } = await requireSession(deps, principal, address)
  requireFree(session)
  const { company_id: companyId } = session
  const pack = newId('sessionPack')
  const maxBytes = reservedBytes(session, contentLength)
  await openPack(deps, companyId, { id: pack, bytes: maxBytes })
  try {
    const stored = await store(deps, packKey(companyId, pack), { body, maxBytes })
    const { tree } = await changeFiles(deps, principal, address, async (before, { trx }) => {
      if (!(await settlePack(trx, { id: pack, companyId, byteSize: stored.byteSize })))
        throw new CodedError('storage_unavailable')
      const modifiedAt = fileTimeOf(deps.clock.now())
      const there = before.get(path)
      const isExecutable = there?.kind === 'file' && (there.mode & executableBit) !== 0
      return withEntry(
        before,
        fileOf(path, stored, { pack, mode: isExecutable ? 0o755 : newFileMode, modifiedAt }),
        modifiedAt,
      )
    })
    const entry = tree.get(path)
    if (!entry) throw new Error('a written file is not there')
    return renderEntry(entry)
  } catch (error) {
    await giveUpPack(deps.db, companyId, pack).catch((failure: unknown) => {
      deps.log.warn({ err: failure, pack }, 'bytes of a refused file are not removed yet')
    })
    await removeUnused(deps, companyId)
    throw error
  }
}

const fileOf = (
  path: string,
  { byteSize, digest }: StoredObject,
  at: { pack: string; mode: number; modifiedAt: number },
): TreeFile => ({ kind: 'file', path, byteSize, digest, offset: 0, ...at })

/** Without a length, the most that a file of the session may have. Throws `session_full` for more. */
function reservedBytes({ size_limit_bytes: limit }: SessionRow, contentLength: number | undefined): number {
  if (contentLength !== undefined && contentLength > limit) throw new CodedError('session_full')
  return contentLength ?? limit
}

const openPack = (
  { db }: SessionServices,
  companyId: string,
  { id, bytes }: { id: string; bytes: number },
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await lockCompany(trx, companyId, 'uploads')
    if ((await countWrittenPacks(trx, companyId)) >= inputFileUploadsMax)
      throw new CodedError('staging_slot_exhausted', { limit: inputFileUploadsMax })
    await requireStorageQuota(trx, companyId, bytes)
    await insertPack(trx, { id, companyId, bytes, heldSeconds })
  })

async function store(
  { storage, log }: SessionServices,
  key: string,
  { body, maxBytes }: { body: Readable; maxBytes: number },
): Promise<StoredObject> {
  try {
    return await storage.put(key, body, { maxBytes })
  } catch (error) {
    if (error instanceof ObjectTooLarge) throw new CodedError('session_full')
    if (hasCode(error, 'ECONNRESET')) throw invalid(['body'], 'incomplete', 'ended before it was whole')
    log.error({ err: error }, 'a file of a session could not be stored')
    throw new CodedError('storage_unavailable')
  }
}
