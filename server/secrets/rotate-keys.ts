import type { Database } from '../db/database.ts'
import type { WrappingKeys } from './keys/wrapping-keys.ts'
import {
  countWrappedElsewhere,
  findWrappedElsewhere,
  replaceWrappedKey,
  type WrappedRow,
} from './rewrap-store.ts'
import { rewrapped, ValueDamaged } from './store/sealed-value.ts'

/*
 * A rotation makes the next key-encryption key and wraps the data key of every stored value under it. The service goes on
 * meanwhile: every process wraps under the newest key from its next use on, and unwraps under all. One row at a time is
 * changed, and only where it still is what was read, so it may be stopped at any point: a started rotation is finished by the
 * next call, which makes no further key while values are wrapped under former ones.
 */

export interface RotationProgress {
  keyId: string
  /** Values that were wrapped under another key when it began. */
  total: number
  done: number
  /** Values that no key opens: they stay as they are. */
  damaged: number
}

const batch = 100

export async function rotateSecretKeys(
  { db, keys, makeKey }: { db: Database; keys: WrappingKeys; makeKey: () => Promise<unknown> },
  report: (progress: RotationProgress) => void,
): Promise<RotationProgress> {
  const unfinished = await wrapAll(db, keys, report)
  // Values that no key opens would else keep every later rotation from making a key.
  if (unfinished.done > 0) return unfinished
  await makeKey()
  return wrapAll(db, keys, report)
}

/** Wraps what is not under the present key. */
async function wrapAll(
  db: Database,
  keys: WrappingKeys,
  report: (progress: RotationProgress) => void,
): Promise<RotationProgress> {
  const keyId = await keys.presentId()
  const progress = { keyId, total: await countWrappedElsewhere(db, keyId), done: 0, damaged: 0 }
  for (let after = ''; progress.total > 0; ) {
    const rows = await findWrappedElsewhere(db, keyId, { after, limit: batch })
    for (const row of rows) {
      if (await rewrap(db, keys, row)) progress.done += 1
      else progress.damaged += 1
    }
    report(progress)
    if (rows.length < batch) break
    after = rows.at(-1)?.binding_id ?? after
  }
  return progress
}

async function rewrap(db: Database, keys: WrappingKeys, row: WrappedRow): Promise<boolean> {
  const reference = {
    companyId: row.company_id,
    consumerScope: row.consumer_scope,
    consumerId: row.consumer_id,
    taskId: row.task_id,
    slotName: row.slot_name,
    generation: row.generation,
  }
  try {
    const wrapped = await rewrapped(keys, reference, { keyId: row.key_id, wrappedKey: row.wrapped_key })
    // A row that was replaced meanwhile is under the present key already.
    await replaceWrappedKey(db, row, wrapped)
    return true
  } catch (error) {
    if (error instanceof ValueDamaged) return false
    throw error
  }
}
