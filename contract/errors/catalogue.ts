/** One coded error of the wire contract: `{ detail: { code, message, ... } }` under `status`. */
export interface CatalogueEntry {
  status: 400 | 403 | 404 | 405 | 409 | 413 | 418 | 422 | 429 | 500 | 503
  /** What happened, for the caller. */
  message: string
  /** What the caller can do about it. */
  advice: string
}

const entry = (status: CatalogueEntry['status'], message: string, advice: string): CatalogueEntry => ({
  status,
  message,
  advice,
})

const reread = 'Read the resource again, then decide.'
const later = 'Wait and try again; the same Idempotency-Key is safe to repeat.'

/** Requests as such, whatever they ask for. */
const requests = {
  invalid_content_length: entry(400, 'The Content-Length header is malformed.', 'Send a decimal byte count.'),
  login_rate_limited: entry(429, 'Too many failed logins.', 'Wait as long as Retry-After says.'),
  insufficient_permissions: entry(403, 'Your role does not allow this.', 'Ask a company administrator.'),
  not_found: entry(404, 'Not found.', 'Check the id, your company, your role and your key scope.'),
  request_too_large: entry(413, 'The request body is too large.', 'Send a smaller body.'),
  idempotency_key_required: entry(
    422,
    'This request needs the Idempotency-Key header.',
    'Send 1 to 128 characters: a new key for a new intent, the same key to repeat one.',
  ),
  idempotency_conflict: entry(
    409,
    'This Idempotency-Key was used for a different request.',
    'Use a new key for a new intent.',
  ),
  illegal_transition: entry(409, 'The resource is not in a state that allows this.', reread),
  no_fields: entry(422, 'The change names no field.', 'Send at least one field to change.'),
  internal_error: entry(
    500,
    'The server failed.',
    'Try again; if it lasts, give the operator the request id.',
  ),
  sandbox_disabled: entry(
    503,
    'The sandbox is switched off for changes.',
    'Wait; reading, cancelling and downloading still work.',
  ),
  storage_unavailable: entry(503, 'The object store cannot be reached.', later),
  database_unavailable: entry(503, 'The database cannot be reached.', later),
  executor_unavailable: entry(503, 'No host that runs sandboxes can be reached.', later),
} satisfies Record<string, CatalogueEntry>

/** Companies, departments, chatrooms, users and keys. */
const platform = {
  already_exists: entry(409, 'Something with this name already exists.', 'Choose another name.'),
  in_use: entry(409, 'Other things still depend on this.', 'Remove or move them first.'),
  last_administrator: entry(409, 'A company keeps at least one administrator.', 'Name another one first.'),
  managed_departments_invalid: entry(
    422,
    'Managed departments do not fit the role or are not of this company.',
    'Name live departments of the company, and only for role 2.',
  ),
  allowed_chatrooms_invalid: entry(
    422,
    'A sandbox key names chatrooms that its owner can use; a full key names none.',
    'Name live chatrooms that the owner is in or manages, for scope sandbox only.',
  ),
} satisfies Record<string, CatalogueEntry>

/** Environments, their uploads, versions and builds. */
const environments = {
  owner_scope_forbidden: entry(
    403,
    'You cannot own things in this scope.',
    'Choose a department you manage, or ask a company manager.',
  ),
  chatroom_owner_scope_removed: entry(
    403,
    'Chatrooms no longer own tasks or environments.',
    'Choose the owner scope department or company.',
  ),
  active_environment_limit: entry(
    409,
    'The company has reached its number of active environments.',
    'Archive one first.',
  ),
  environment_archived: entry(409, 'The environment is archived.', 'Use an active environment.'),
  version_allocation_exhausted: entry(
    409,
    'The company cannot keep another environment version.',
    'Archive versions that are not needed.',
  ),
  source_digest_mismatch: entry(
    422,
    'The fields owned_object_id and source_digest name different archives.',
    'Send one of them, or the digest that complete returned.',
  ),
  staging_slot_exhausted: entry(
    429,
    'The company holds too many unfinished uploads, or too many declared bytes.',
    'Complete or abort an unfinished upload.',
  ),
  upload_rate_limited: entry(429, 'Too many uploads were started in a minute.', 'Wait a minute.'),
  capability_fenced: entry(
    409,
    'The upload capability does not fit this session, or it has expired.',
    'Start a new upload session.',
  ),
  capability_unavailable: entry(503, 'Upload capabilities cannot be issued or checked.', later),
  context_too_large: entry(
    413,
    'More bytes were sent than were declared.',
    'Declare the size of the archive.',
  ),
  upload_incomplete: entry(
    409,
    'The archive has not been received.',
    'Send the bytes, then complete the session.',
  ),
  upload_size_mismatch: entry(
    422,
    'The received archive has another size than expected.',
    'Send the archive again, or complete with the right size.',
  ),
  upload_digest_mismatch: entry(
    422,
    'The received archive has another digest than expected.',
    'Send the archive again, or complete with the right digest.',
  ),
  build_not_eligible: entry(409, 'A version in this state cannot be built.', reread),
  nonterminal_exists: entry(409, 'A build of this version is still under way.', 'Wait for it or cancel it.'),
  not_cancellable: entry(409, 'The build has already ended.', reread),
  retry_not_eligible: entry(409, 'It has not ended in a way that can be retried.', reread),
  retry_window_expired: entry(
    409,
    'The seven days in which the build could be retried are over.',
    'Create a new version.',
  ),
  provisioning_retry_not_eligible: entry(409, 'A version in this state is not being provisioned.', reread),
  build_region_unavailable: entry(
    422,
    'This deployment does not build in that region.',
    'Choose one of /public/info/sandbox/regions.',
  ),
  build_admission_fenced: entry(
    503,
    'Builds are held while the platform is updated.',
    'Wait for Retry-After.',
  ),
} satisfies Record<string, CatalogueEntry>

/** Tasks, their versions, shares and what rooms enable. */
const tasks = {
  task_archived: entry(409, 'The task is archived.', 'Use an active task.'),
  already_archived: entry(409, 'The task is already archived.', 'Nothing is left to do.'),
  environment_version_not_ready: entry(
    409,
    'The environment version is not ready.',
    'Build it, wait for ready, then try again.',
  ),
  job_contract_invalid: entry(
    422,
    'The input schema, the example or the work command is not usable.',
    'Correct what detail.errors lists.',
  ),
  timeout_exceeds_ceiling: entry(
    422,
    'The value of timeout_seconds is above the ceiling of the company.',
    'Lower it, or ask for a higher ceiling.',
  ),
  script_too_large: entry(422, 'A script may have at most 1 MiB.', 'Move data into the environment image.'),
  script_not_utf8: entry(422, 'A script must be UTF-8 text.', 'Save it as UTF-8.'),
  script_contains_nul: entry(422, 'A script may not contain NUL.', 'Remove the NUL byte.'),
  bundle_path_forbidden: entry(
    422,
    'The bundle holds a path that is reserved or leaves the workspace.',
    'Rename or remove it.',
  ),
  share_already_live: entry(409, 'The task is already shared with this target.', 'Revoke that share first.'),
  share_target_invalid: entry(
    422,
    'The share target does not fit its kind or does not exist.',
    'Name a live chatroom or department, or the company itself.',
  ),
  secret_slot_policies_invalid: entry(
    422,
    'The policies name an unknown slot or policy.',
    'Use declared slot names and borrower, owner or owner_overridable.',
  ),
  task_not_shared_to_room: entry(
    409,
    'The task is not shared with this room, its department or the company.',
    'Ask its owner to share it.',
  ),
  task_version_not_published: entry(409, 'The task version is not published.', 'Publish it first.'),
  task_version_digest_mismatch: entry(
    409,
    'The digest is not that of the published version.',
    'Read the version again and approve its canonical_digest.',
  ),
  task_bundle_runner_unsupported: entry(
    409,
    'The runner release under this environment version is not approved.',
    'Rebuild the environment, or have an operator approve the release.',
  ),
} satisfies Record<string, CatalogueEntry>

/** Runs and what they leave. */
const runs = {
  version_not_runnable: entry(409, 'The task version cannot be run.', 'Use a published, active version.'),
  content_scrubbed_irreversible: entry(
    409,
    'The content of this version was removed for good.',
    'Publish a new version.',
  ),
  input_schema_violation: entry(
    422,
    'The input does not match the schema of the version.',
    'Correct what detail.errors lists.',
  ),
  input_not_stageable: entry(
    422,
    'The input cannot be stored as canonical JSON.',
    'Send at most 1 MiB, 64 levels, 100000 values, no duplicate keys, no NUL.',
  ),
  input_staging_unavailable: entry(503, 'The input could not be stored; no run was created.', later),
  retry_input_unavailable: entry(
    409,
    'The input of the earlier run cannot be read any more.',
    'Send an input explicitly.',
  ),
  sandbox_queued_run_limit: entry(429, 'The company has too many queued runs.', 'Wait for some to end.'),
  queue_full: entry(429, 'The queue of this deployment is full.', 'Wait as long as Retry-After says.'),
} satisfies Record<string, CatalogueEntry>

/** Prices, holds and company policy. */
const billing = {
  policy_version_conflict: entry(409, 'The settings were changed by someone else.', reread),
  budget_reservation_exceeded: entry(
    403,
    'The company quota cannot cover this.',
    'Do not send it again unchanged; lower the timeout or raise the quota.',
  ),
  no_active_region: entry(422, 'No region can take this run.', 'Allow a region, or ask the operator.'),
  missing_price: entry(422, 'No price is set for this profile and region.', 'Ask the operator.'),
  invalid_envelope: entry(422, 'The reservation cannot be computed.', 'Ask the operator.'),
  missing_window: entry(422, 'No quota window is open.', 'Ask the operator.'),
} satisfies Record<string, CatalogueEntry>

/** Secrets. */
const secrets = {
  sandbox_transit_keypair_missing: entry(
    422,
    'The server has no key pair for encrypted values.',
    'Ask the operator to configure one.',
  ),
  sandbox_secret_pepper_missing: entry(503, 'The secret store is not configured.', 'Ask the operator.'),
  sandbox_vault_unconfigured: entry(503, 'The secret store is not configured.', 'Ask the operator.'),
  /** Answered to runners only. */
  share_grant_revoked: entry(409, 'The share that lent a secret has ended.', 'Share the task again.'),
} satisfies Record<string, CatalogueEntry>

/** Output policies and custom tables. */
const outputPolicies = {
  output_policy_author_denied: entry(
    403,
    'You may not write where the output policy writes.',
    'Ask someone who may.',
  ),
  writeback_authority_denied: entry(
    403,
    'You may not start runs that write to this table.',
    'Ask its owner.',
  ),
  output_policy_owner_scope_unsupported: entry(
    409,
    'Only tasks of a department may have an output policy.',
    'Use a department-owned task.',
  ),
  output_policy_unsatisfiable: entry(409, 'The table or command of the policy is not usable.', reread),
  output_policy_invalid: entry(422, 'The output policy is not valid.', 'Correct the policy.'),
  output_policy_table_not_found: entry(422, 'The table does not exist.', 'Name a table of the company.'),
  output_policy_channel_table: entry(422, 'The table belongs to a channel.', 'Name another table.'),
  output_policy_governed_table: entry(422, 'The table takes commands only.', 'Use a command policy.'),
  output_policy_command_not_found: entry(422, 'The command does not exist.', 'Name a live command.'),
  output_policy_schema_mismatch: entry(
    422,
    'The policy inputs differ from those of the command.',
    'Copy the inputs of the command, which must be a write command.',
  ),
  sandbox_writeback_key_unavailable: entry(503, 'Callbacks cannot be signed.', 'Ask the operator.'),
  /** Answered with 404 where the credential itself is unknown or wrong. */
  output_run_unavailable: entry(409, 'The run takes no output any more.', 'Do not send it again.'),
  output_command_stale: entry(409, 'The command has changed since the run started.', 'Run the job again.'),
  output_command_conflict: entry(409, 'The run has already sent other inputs.', 'Do not send it again.'),
  output_schema_violation: entry(422, 'The inputs do not match the command.', 'Correct the inputs.'),
} satisfies Record<string, CatalogueEntry>

/** Every coded error (contract part 2, "Errors"). */
export const catalogue = {
  ...requests,
  ...platform,
  ...environments,
  ...tasks,
  ...runs,
  ...billing,
  ...secrets,
  ...outputPolicies,
} satisfies Record<string, CatalogueEntry>

export type ErrorCode = keyof typeof catalogue
