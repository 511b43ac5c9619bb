import type { ErrorCode } from '@sandbox-jobs/contract/errors/catalogue.ts'

const policies = 'needs a version with a policy: routes/tables/output-policies.test.ts'
const callbacks = 'needs a run that has started: routes/tables/output-callbacks.test.ts'

/** Codes of the catalogue without an error scenario, each with the reason. */
export const codesWithoutScenario: Partial<Record<ErrorCode, string>> = {
  internal_error: 'a fault of the platform: a known one would be fixed, not tested',
  invalid_content_length: 'is returned before routing: malformed-requests.test.ts',
  executor_unavailable: 'no request waits for the executor',
  downloads_busy: 'needs open downloads: public-links.test.ts',
  audit_busy: 'needs exports that stay: read-audit.test.ts',
  usage_busy: 'needs reports that stay: usage-report.test.ts',
  custom_table_busy: 'needs exports that stay: table-queries.test.ts',
  custom_table_query_too_slow: 'needs a long table: table-queries.test.ts',
  run_ends_full: 'is of the operator console, not of the API: end-requested-runs.test.ts',
  operator_read_only: 'is of the operator console, not of the API: operator-app.test.ts',
  watchers_busy: 'needs requests that stay: state-watchers.test.ts',
  chatroom_owner_scope_removed: 'the schema refuses owner_scope=chatroom with 422 first',
  capability_unavailable: 'the key of capabilities is created before the first request',
  share_grant_revoked: 'is how a run ends: run-secrets.test.ts',
  sandbox_transit_keypair_missing: 'is reported in the array of problems: routes/secrets/secrets.test.ts',

  output_policy_author_denied: policies,
  writeback_authority_denied: policies,
  output_policy_owner_scope_unsupported: policies,
  output_policy_unsatisfiable: policies,
  output_policy_invalid: policies,
  output_policy_table_not_found: policies,
  output_policy_channel_table: policies,
  output_policy_governed_table: policies,
  output_policy_command_not_found: policies,
  output_policy_schema_mismatch: policies,
  sandbox_writeback_key_unavailable: policies,
  output_run_unavailable: callbacks,
  output_command_stale: callbacks,
  output_command_conflict: callbacks,
  output_schema_violation: callbacks,
  output_operation_denied: callbacks,
  output_row_conflict: callbacks,
  output_effect_limit: callbacks,
}
