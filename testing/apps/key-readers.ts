import { Authentication, type FindKey } from '../../server/access/authentication/authentication.ts'
import { Directory } from '../../server/access/directory/directory.ts'
import { hashApiKey, newApiKey } from '../../server/access/keys/api-key-secret.ts'
import { AccessTokens } from '../../server/access/login/access-tokens.ts'
import type { Principal } from '../../server/access/principal.ts'
import { systemClock } from '../../server/base/clock.ts'
import { newId } from '../../server/base/ids.ts'
import { PageTokens } from '../../server/base/page.ts'
import { runCapacity } from '../../server/capacity/run-capacity.ts'
import type { Database } from '../../server/db/database.ts'
import type { RunAddress } from '../../server/runs/lookup/readable-run.ts'
import { RunLookup } from '../../server/runs/lookup/run-lookup.ts'
import { queuePolicy } from '../../server/runs/queue/queue-policy.ts'
import { readRun, showSnapshot } from '../../server/runs/read/read-runs.ts'
import { RunSnapshots } from '../../server/runs/read/run-snapshots.ts'
import { fixedKeys, fixedPeppers, fixedTokenKeys } from './fixed-keys.ts'

export interface MadeKey {
  id: string
  text: string
}

/** Reads of runs by API key, in both ways that exist. */
export function keyReaders(db: Database) {
  const pepper = Buffer.alloc(32, 1)
  const { authenticate } = new Authentication({
    db,
    tokens: new AccessTokens({
      keys: fixedTokenKeys(),
      clock: systemClock,
      issuer: 'http://test',
      lifetimeSeconds: 600,
    }),
    peppers: fixedPeppers(pepper),
    clock: systemClock,
  })
  const policy = queuePolicy('onprem', runCapacity({ slots: 16 }))
  const deps = {
    db,
    directory: new Directory(db),
    runs: new RunLookup(db, policy),
    policy,
    pages: new PageTokens(fixedKeys(pepper)),
  }
  const readings = new RunSnapshots(db)
  const caller = (key: MadeKey, findKey?: FindKey) =>
    authenticate({ method: 'GET', headers: { 'x-api-key': key.text } }, findKey)
  const outcome = (reading: Promise<unknown>): Promise<unknown> =>
    reading.catch((error: { code?: string; status?: number }) => error.code ?? error.status)

  return {
    /** For the given rooms only, if any are given. */
    makeKey: async (owner: Principal, roomIds: string[] = []): Promise<MadeKey> => {
      const key = { id: newId('apiKey'), text: newApiKey() }
      await db
        .insertInto('api_keys')
        .values({
          id: key.id,
          company_id: owner.companyId,
          owner_user_id: owner.principalId,
          name: key.id,
          key_hash: hashApiKey(pepper, key.text),
          scope: roomIds.length > 0 ? 'sandbox' : 'full',
          domains: ['*'],
          allowed_chatroom_ids: roomIds,
          expires_at: null,
        })
        .execute()
      return key
    },

    /** The run as a key reads it, or the error: key and run are looked up together. */
    atOnce: (key: MadeKey, address: RunAddress): Promise<unknown> => {
      const lookup = readings.begin(address)
      const read = async () => {
        const principal = await caller(key, lookup.findKey)
        if (!lookup.snapshot) throw new Error('a key was found without its snapshot')
        return JSON.parse((await showSnapshot(deps, principal, address, lookup.snapshot)).text)
      }
      return outcome(read())
    },

    /** The same with separate lookups. */
    inSteps: (key: MadeKey, address: RunAddress): Promise<unknown> =>
      outcome(caller(key).then((principal) => readRun(deps, principal, address))),
  }
}
