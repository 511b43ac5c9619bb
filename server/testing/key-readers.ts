import { systemClock } from '../base/clock.ts'
import { newId } from '../base/ids.ts'
import { PageTokens } from '../base/page.ts'
import type { Database } from '../db/database.ts'
import { AccessTokens } from '../platform/access-tokens.ts'
import { hashApiKey, newApiKey } from '../platform/api-key-secret.ts'
import { Authentication, type FindKey } from '../platform/authentication.ts'
import { Directory } from '../platform/directory.ts'
import type { Principal } from '../platform/principal.ts'
import { queuePolicy } from '../runs/queue-policy.ts'
import { type RunAddress, readRun, showReading } from '../runs/read-runs.ts'
import { RunLookup } from '../runs/run-lookup.ts'
import { runPlaces } from '../runs/run-places.ts'
import { RunReadings } from '../runs/run-readings.ts'
import { fixedPeppers, fixedTokenKeys } from './fixed-keys.ts'

export interface MadeKey {
  id: string
  text: string
}

/** Readers of runs by API key, in either way that there is. */
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
  const policy = queuePolicy('onprem', runPlaces({ slots: 16 }))
  const deps = {
    db,
    directory: new Directory(db),
    runs: new RunLookup(db, policy),
    policy,
    pages: new PageTokens(pepper),
  }
  const readings = new RunReadings(db)
  const caller = (key: MadeKey, findKey?: FindKey) => authenticate({ 'x-api-key': key.text }, findKey)
  const outcome = (told: Promise<unknown>): Promise<unknown> =>
    told.catch((error: { code?: string; status?: number }) => error.code ?? error.status)

  return {
    /** For the given rooms only, if there are any. */
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

    /** What a key is told of a run, or why it is told nothing: looked up at once with the key. */
    atOnce: (key: MadeKey, address: RunAddress): Promise<unknown> => {
      const begun = readings.begin(address)
      const told = async () => {
        const principal = await caller(key, begun.findKey)
        if (!begun.reading) throw new Error('a key was found without its reading')
        return JSON.parse((await showReading(deps, principal, address, begun.reading)).text)
      }
      return outcome(told())
    },

    /** The same, one after the other. */
    inSteps: (key: MadeKey, address: RunAddress): Promise<unknown> =>
      outcome(caller(key).then((principal) => readRun(deps, principal, address))),
  }
}
