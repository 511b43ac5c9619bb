import { sql } from 'kysely'
import type { Database } from '../../server/db/database.ts'

interface ExecutorTraits {
  worker?: string
  folder?: string
  boot?: string
  place?: string
  keys?: readonly string[]
  capacity?: object
  draining?: boolean
  /** How long its lease lasts; negative: it has ended. */
  leftSeconds?: number
  /** How long it has been held without a gap. */
  heldSeconds?: number
}

/** An executor that a worker drives from then on. */
export const makeExecutor = (db: Database, id: string, traits: ExecutorTraits = {}): Promise<unknown> => {
  const { worker = 'w', folder = 'f', boot = 'b', place = 'p', keys = [] } = traits
  const { capacity = {}, draining = false, leftSeconds = 3600, heldSeconds = 3600 } = traits
  return sql`
    insert into executors (id, folder, boot, worker, place, keys, store, capacity, draining, lease_until, held_since)
    values (${id}, ${folder}, ${boot}, ${worker}, ${place}, ${[...keys]}, 'bucket', ${JSON.stringify(capacity)}, ${draining},
      now() + make_interval(secs => ${leftSeconds}), now() - make_interval(secs => ${heldSeconds}))
    on conflict (id) do update set worker = excluded.worker, lease_until = excluded.lease_until, held_since = excluded.held_since
  `.execute(db)
}
