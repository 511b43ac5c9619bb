import { type CatalogueEntry, entry, reread } from './catalogue-entry.ts'

/** Output policies and custom tables. */
export const outputPolicyErrors = {
  output_policy_author_denied: entry(
    403,
    'You may not write to the target of the output policy.',
    'Ask someone with write access.',
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
  output_policy_governed_table: entry(422, 'The table accepts commands only.', 'Use a command policy.'),
  output_policy_command_not_found: entry(422, 'The command does not exist.', 'Name a live command.'),
  output_policy_schema_mismatch: entry(
    422,
    'The inputs of the policy differ from those of the command.',
    'Copy the inputs of the command, which must be a write command.',
  ),
  sandbox_writeback_key_unavailable: entry(503, 'Callbacks cannot be signed.', 'Ask the operator.'),
  output_operation_denied: entry(
    403,
    'The output policy does not allow this operation.',
    'Publish a version whose policy allows it.',
  ),
  output_row_conflict: entry(
    409,
    'The run has already written another row under this name.',
    'Name each row that a run creates with a client_row_key of its own.',
  ),
  output_effect_limit: entry(
    409,
    'The run has written as often as one run may; `limit` has it.',
    'Write the rest in further runs.',
  ),
  /** Returned with 404 if the credential itself is unknown or wrong. */
  output_run_unavailable: entry(409, 'The run no longer accepts output.', 'Do not send it again.'),
  output_command_stale: entry(409, 'The command has changed since the run started.', 'Run the job again.'),
  output_command_conflict: entry(409, 'The run has already sent different inputs.', 'Do not send it again.'),
  output_schema_violation: entry(422, 'The inputs do not match the command.', 'Correct the inputs.'),
} satisfies Record<string, CatalogueEntry>
