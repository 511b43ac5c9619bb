import type { ErrorCode } from '@sandbox-jobs/contract/errors/catalogue.ts'

const secrets = 'comes with secrets and approvals'
const outputPolicies = 'comes with output policies'
const prices = 'comes with prices and holds'

/** Codes of the catalogue that no request provokes here, each with the reason. */
export const unprovokedCodes: Partial<Record<ErrorCode, string>> = {
  internal_error: 'a fault of ours: a test that knew one would be a fault kept',
  invalid_content_length: 'is answered before a route is known: malformed-requests.test.ts',
  executor_unavailable: 'no request waits for the executor',
  downloads_busy: 'needs openers that stay: public-download.test.ts',
  in_use: 'no route removes what other things name',
  chatroom_owner_scope_removed: 'the schema refuses owner_scope=chatroom with 422 first',
  capability_unavailable: 'the key of capabilities is made before the first request',
  input_not_stageable: 'what has no canonical form is refused as JSON, with the array of problems',

  task_version_not_published: secrets,
  task_version_digest_mismatch: secrets,
  share_grant_revoked: secrets,
  sandbox_transit_keypair_missing: secrets,
  sandbox_secret_pepper_missing: secrets,
  sandbox_vault_unconfigured: secrets,

  budget_reservation_exceeded: prices,
  missing_price: prices,
  invalid_envelope: prices,
  missing_window: prices,

  output_policy_author_denied: outputPolicies,
  writeback_authority_denied: outputPolicies,
  output_policy_owner_scope_unsupported: outputPolicies,
  output_policy_unsatisfiable: outputPolicies,
  output_policy_invalid: outputPolicies,
  output_policy_table_not_found: outputPolicies,
  output_policy_channel_table: outputPolicies,
  output_policy_governed_table: outputPolicies,
  output_policy_command_not_found: outputPolicies,
  output_policy_schema_mismatch: outputPolicies,
  sandbox_writeback_key_unavailable: outputPolicies,
  output_run_unavailable: outputPolicies,
  output_command_stale: outputPolicies,
  output_command_conflict: outputPolicies,
  output_schema_violation: outputPolicies,
}
