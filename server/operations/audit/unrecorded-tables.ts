const derived = 'it is computed from what is recorded'
const queue = 'work that waits, or its progress; what comes of it is recorded'
const cache = 'a cache'
const partOf = (table: string) => `rows are part of one of ${table}, which is recorded`
const states = 'its changes of state are recorded'

/**
 * Tables whose rows change without an entry in the audit log, and why. All others have the trigger `audit_changes`; a test
 * compares.
 */
export const unrecordedTables: Readonly<Record<string, string>> = {
  audit_pending: 'the log itself',
  audit_entries: 'the log itself',
  audit_chains: 'the log itself',
  audit_heads: 'the log itself',
  audit_salt: 'the log itself',
  state_events: states,
  runs: states,
  build_attempts: states,
  build_stages: queue,
  build_cache: cache,
  build_prefixes: cache,
  built_prefixes: cache,
  context_facts: cache,
  pulled_images: cache,
  kept_images: derived,
  kept_bytes: derived,
  kept_byte_changes: derived,
  budget_spend: derived,
  budget_changes: derived,
  usage_days: derived,
  usage_changes: derived,
  run_counts: derived,
  run_count_changes: derived,
  queue_turns: queue,
  charges: partOf('runs'),
  run_inputs: partOf('runs'),
  run_files: partOf('runs'),
  run_metadata: partOf('runs'),
  run_refusals: partOf('runs'),
  run_artifacts: partOf('run_contents'),
  run_output_credentials: partOf('runs'),
  run_output_effects: partOf('custom_table_rows'),
  custom_table_identities: partOf('custom_table_rows'),
  room_sequences: partOf('room_messages'),
  prices: partOf('price_lists'),
  vulnerabilities: partOf('vulnerability_imports'),
  idempotency_keys: queue,
  secret_operations: partOf('secret_bindings'),
  staging_leases: queue,
  owned_objects: partOf('upload_sessions or build_attempts'),
  session_trees: partOf('sessions'),
  session_packs: partOf('sessions'),
  session_tree_packs: partOf('sessions'),
  security_findings: 'results of scans; exceptions and blocks are recorded',
  removal_failures: queue,
  event_outbox: queue,
  content_expiry_notices: queue,
  live_logs: queue,
  state_watches: queue,
  login_attempts: 'failed logins change nothing that belongs to a company',
  machine_lease: queue,
}
