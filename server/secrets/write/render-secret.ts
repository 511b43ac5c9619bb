import type { SecretBinding } from '@sandbox-jobs/contract/resources/secrets/secret-binding.ts'
import type { SecretBindingRow } from '../store/secret-binding-store.ts'

/** A secret as every route shows it: never its value, and nothing of how it is stored. */
export const renderSecret = (row: SecretBindingRow): SecretBinding => ({
  id: row.id,
  company_id: row.company_id,
  consumer_scope: row.consumer_scope as SecretBinding['consumer_scope'],
  consumer_id: row.consumer_id,
  task_id: row.task_id,
  slot_name: row.slot_name,
  generation: row.generation,
  state: row.state as SecretBinding['state'],
  has_provider_binding: row.state === 'active' || row.state === 'revoking',
})
