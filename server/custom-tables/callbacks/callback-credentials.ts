import { timingSafeEqual } from 'node:crypto'
import type { OutputPolicy } from '@sandbox-jobs/contract/resources/runs/output-policy.ts'
import { callbackPrefix } from '@sandbox-jobs/contract/routes/prefixes.ts'
import { serviceAddress } from '../../../agent/port/service-address.ts'
import { newToken, newUuid } from '../../base/ids.ts'
import type { Database } from '../../db/database.ts'
import { inBatches } from '../../work/sweep.ts'
import type { CallbackKey } from '../policies/callback-key.ts'
import {
  dropOldCredentials,
  type FoundCredential,
  findCredential,
  replaceCredential,
} from './credential-store.ts'
import { dropOldEffects } from './effect-store.ts'

export type { FoundCredential } from './credential-store.ts'

/** Values that a job gets in SERVICE_CT_WRITEBACK_URL and SERVICE_CT_WRITEBACK_TOKEN. */
export interface CallbackAccess {
  url: string
  token: string
}

/** Longer than the run by this (contract part 1, "Limits": runner credentials). */
const graceSeconds = 120

const paths: Record<OutputPolicy['kind'], string> = {
  custom_table_writeback: 'writeback',
  custom_table_command: 'command-output',
}

/** Single-run credentials: random, stored as a keyed hash, each for one claim of one run. */
export class CallbackCredentials {
  readonly #db: Database
  readonly #key: CallbackKey

  constructor(db: Database, key: CallbackKey) {
    this.#db = db
    this.#key = key
  }

  /** A new credential for the claim; an earlier one of the run ends. Throws `sandbox_writeback_key_unavailable`. */
  async mint(
    run: { id: string; companyId: string; fence: number },
    { kind, timeoutSeconds }: { kind: OutputPolicy['kind']; timeoutSeconds: number },
  ): Promise<CallbackAccess> {
    const [tokenId, token] = [newUuid(), newToken()]
    await replaceCredential(this.#db, {
      runId: run.id,
      companyId: run.companyId,
      fence: run.fence,
      tokenId,
      secretHash: this.#key.hash(token),
      lifetimeSeconds: timeoutSeconds + graceSeconds,
    })
    const { ip4, port } = serviceAddress
    const origin = port === 80 ? `http://${ip4}` : `http://${ip4}:${port}`
    return { url: `${origin}${callbackPrefix}/${paths[kind]}/${tokenId}`, token }
  }

  /** The credential that name and secret belong to, also one that has ended; undefined for any other pair. */
  async find(tokenId: string, secret: string | undefined): Promise<FoundCredential | undefined> {
    const found = await findCredential(this.#db, tokenId)
    if (!found || secret === undefined) return undefined
    return timingSafeEqual(this.#key.hash(secret), found.secret_hash) ? found : undefined
  }
}

/** With a round each minute it removes more than runs can add. */
const batch = 5000

/** One round of the sweep of what runs can no longer use. */
export const sweepCallbacks = async ({ db }: { db: Database }): Promise<{ removed: number }> => ({
  removed:
    (await inBatches(batch, (limit) => dropOldCredentials(db, limit))) +
    (await inBatches(batch, (limit) => dropOldEffects(db, limit))),
})
