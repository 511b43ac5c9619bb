import type { ErrorCode } from '@sandbox-jobs/contract/errors/catalogue.ts'

const outputPolicies = 'comes with output policies'

/** Codes of the catalogue without an error scenario, each with the reason. */
export const codesWithoutScenario: Partial<Record<ErrorCode, string>> = {
  internal_error: 'a fault of the platform: a known one would be fixed, not tested',
  invalid_content_length: 'is returned before routing: malformed-requests.test.ts',
  executor_unavailable: 'no request waits for the executor',
  downloads_busy: 'needs open downloads: public-download.test.ts',
  custom_table_busy: 'needs exports that stay: table-queries.test.ts',
  custom_table_query_too_slow: 'needs a long table: table-queries.test.ts',
  watchers_busy: 'needs requests that stay: state-watchers.test.ts',
  chatroom_owner_scope_removed: 'the schema refuses owner_scope=chatroom with 422 first',
  capability_unavailable: 'the key of capabilities is created before the first request',
  input_not_stageable: 'input without a canonical form is refused as JSON, with the array of problems',

  share_grant_revoked: 'is how a run ends: run-secrets.test.ts',
  sandbox_transit_keypair_missing: 'is reported in the array of problems: routes/secrets/secrets.test.ts',

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
