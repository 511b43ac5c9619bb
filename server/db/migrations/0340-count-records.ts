import type { Kysely } from 'kysely'
import { countKept, lengthOf } from './count-kept.ts'

/**
 * Counts to the bytes that a company keeps what each of its writes leaves behind, also where it adds and removes the same thing again:
 * the keys of requests with their answers while they are kept, and the entries of its audit log. The key of a run counts with
 * the run's row. The chain of the deployment has no company.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await countKept(db, {
    table: 'idempotency_keys',
    kind: 'requests',
    bytes: `case when run_id is null then 512 + 2 * octet_length(key) + ${lengthOf('response')} else 0 end`,
    isChanged: true,
  })
  await countKept(db, {
    table: 'audit_chains',
    kind: 'audit_log',
    bytes: `case when company_id = '' then 0 else 1024 * (sequence - start_sequence) end`,
    isChanged: true,
  })
}
