import type { Kysely } from 'kysely'
import { countKept, lengthOf } from './count-kept.ts'

/** What a row counts, by table. The texts of a version count as scripts already (baseline/storage.sql). */
const bytesOf = {
  tasks: `512 + octet_length(name) + octet_length(description) + ${lengthOf('egress_allow_list')}`,
  task_versions: `1024 + ${lengthOf('ordinary_env')} + ${lengthOf('secret_slot_declarations')} + ${lengthOf('output_policy')}`,
  share_grants: `512 + octet_length(revoke_reason) + ${lengthOf('secret_slot_policies')}`,
  bindings: '512 + octet_length(revoke_reason)',
}

/**
 * Counts the rows of tasks, their versions, shares and bindings to the bytes that a company keeps: they are archived or revoked and
 * never removed, and parts of them that their authors choose were not counted.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [table, bytes] of Object.entries(bytesOf))
    await countKept(db, { table, kind: 'tasks', bytes, isChanged: true, triggers: 'count_kept_definition' })
}
