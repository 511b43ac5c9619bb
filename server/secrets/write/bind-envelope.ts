import { hash } from 'node:crypto'
import {
  type EncryptedValue,
  secretWriteSlugs,
} from '@sandbox-jobs/contract/resources/secrets/secret-binding.ts'
import { keptOfKind, requireStorageQuota, rowBytes } from '../../companies/storage/storage-quota.ts'
import type { Database } from '../../db/database.ts'
import type { SecretAddress } from '../store/secret-binding-store.ts'
import { insertEnvelope, isFirstAddress } from '../store/secret-envelope-store.ts'
import { secretWriteProblem } from './secret-value.ts'

/*
 * Nothing in an envelope says where its value belongs, so whoever reads a request could store its value elsewhere and have a job print
 * it. Each envelope counts for the address that it was first sent to.
 */

/**
 * Binds an envelope to the address. It stays bound whatever becomes of the request: one that is refused can be read too. Throws as
 * for an envelope that does not open where it is bound to another address, and 409 `storage_quota_exceeded`: a leaked value can be
 * rotated although the quota is used up, until the secrets of the company have the bytes below.
 */
export async function bindEnvelope(
  db: Database,
  { encrypted_key }: EncryptedValue,
  { address, type }: { address: SecretAddress; type: 'create' | 'rotate' },
): Promise<void> {
  const digest = digestOf(encrypted_key)
  const known = await isFirstAddress(db, digest, address)
  if (known === undefined) await requireRoom(db, address.companyId, type)
  const isBound =
    known ?? ((await insertEnvelope(db, digest, address)) || (await isFirstAddress(db, digest, address)))
  if (!isBound) throw secretWriteProblem('encrypted_value', secretWriteSlugs.undecryptable)
}

const rotatedMaxBytes = 64 * 1024 ** 2

async function requireRoom(db: Database, companyId: string, type: 'create' | 'rotate'): Promise<void> {
  if (type === 'create' || (await keptOfKind(db, companyId, 'secrets')) > rotatedMaxBytes)
    await requireStorageQuota(db, companyId, rowBytes.envelope)
}

/** The same for every form in which a wrapped key opens: zeros at its start may be absent. */
function digestOf(encryptedKey: string): Buffer {
  const wrapped = Buffer.from(encryptedKey, 'base64')
  const start = wrapped.findIndex((byte) => byte !== 0)
  return hash('sha256', wrapped.subarray(Math.max(start, 0)), 'buffer')
}
