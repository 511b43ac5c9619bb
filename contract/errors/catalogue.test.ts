import { expect, test } from 'vitest'
import { type CatalogueEntry, catalogue, catalogueAreas, type ErrorCode } from './catalogue.ts'

/**
 * Codes and statuses of the contract's Errors tables (part 2), copied by hand so that the test is independent of the
 * code.
 */
const contractCodes: Record<number, ErrorCode[]> = {
  400: ['invalid_content_length'],
  403: [
    'owner_scope_forbidden',
    'chatroom_owner_scope_removed',
    'output_policy_author_denied',
    'writeback_authority_denied',
    'budget_reservation_exceeded',
  ],
  409: [
    'task_not_shared_to_room',
    'task_bundle_runner_unsupported',
    'build_not_eligible',
    'nonterminal_exists',
    'not_cancellable',
    'retry_not_eligible',
    'retry_window_expired',
    'provisioning_retry_not_eligible',
    'retry_input_unavailable',
    'task_version_digest_mismatch',
    'task_version_not_published',
    'share_already_live',
    'policy_version_conflict',
    'idempotency_conflict',
    'active_environment_limit',
    'task_archived',
    'already_archived',
    'content_scrubbed_irreversible',
    'version_not_runnable',
    'version_allocation_exhausted',
    'capability_fenced',
    'output_policy_owner_scope_unsupported',
    'output_policy_unsatisfiable',
    'share_grant_revoked',
    'output_run_unavailable',
    'output_command_stale',
    'output_command_conflict',
  ],
  413: ['request_too_large', 'context_too_large'],
  422: [
    'idempotency_key_required',
    'source_digest_mismatch',
    'no_fields',
    'output_policy_invalid',
    'output_policy_table_not_found',
    'output_policy_channel_table',
    'output_policy_governed_table',
    'output_policy_command_not_found',
    'output_policy_schema_mismatch',
    'no_active_region',
    'missing_price',
    'invalid_envelope',
    'missing_window',
    'timeout_exceeds_ceiling',
    'job_contract_invalid',
    'input_schema_violation',
    'input_not_stageable',
    'build_region_unavailable',
    'bundle_path_forbidden',
    'script_too_large',
    'script_not_utf8',
    'script_contains_nul',
    'secret_slot_policies_invalid',
    'sandbox_transit_keypair_missing',
    'output_schema_violation',
  ],
  429: ['sandbox_queued_run_limit', 'queue_full', 'staging_slot_exhausted', 'upload_rate_limited'],
  503: [
    'sandbox_disabled',
    'sandbox_secret_pepper_missing',
    'sandbox_vault_unconfigured',
    'capability_unavailable',
    'storage_unavailable',
    'input_staging_unavailable',
    'build_admission_fenced',
    'sandbox_writeback_key_unavailable',
  ],
}

const contractRows = Object.entries(contractCodes).flatMap(([status, codes]) =>
  codes.map((code): [ErrorCode, number] => [code, Number(status)]),
)

test.each(contractRows)('%s of the contract has status %i', (code, status) => {
  expect(catalogue[code].status).toBe(status)
})

const entries = Object.entries<CatalogueEntry>(catalogue)

test.each(entries)('%s is a snake_case code with two sentences', (code, entry) => {
  expect(code).toMatch(/^[a-z]+(_[a-z0-9]+)*$/)
  expect(entry.message).toMatch(/^[A-Z].*\.$/)
  expect(entry.advice).toMatch(/^[A-Z].*\.$/)
})

test('no code is declared in two areas', () => {
  const codes = catalogueAreas.flatMap((area) => Object.keys(area))
  expect(codes.toSorted()).toEqual([...new Set(codes)].toSorted())
  expect(codes).toHaveLength(entries.length)
})
