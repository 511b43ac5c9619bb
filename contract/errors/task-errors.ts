import { type CatalogueEntry, entry } from './catalogue-entry.ts'

/** Tasks, their versions, shares and enablement in rooms. */
export const taskErrors = {
  task_archived: entry(409, 'The task is archived.', 'Use an active task.'),
  already_archived: entry(409, 'The task is already archived.', 'No action is needed.'),
  draft_changed: entry(
    409,
    'Somebody else has changed the draft since it was read.',
    'Read it again, and change what you find.',
  ),
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
    'The value of timeout_seconds is above the maximum of the company.',
    'Lower it, or ask for a higher maximum.',
  ),
  script_too_large: entry(422, 'A script may have at most 1 MiB.', 'Move data into the environment image.'),
  script_not_utf8: entry(422, 'A script must be UTF-8 text.', 'Save it as UTF-8.'),
  script_contains_nul: entry(422, 'A script may not contain NUL.', 'Remove the NUL byte.'),
  bundle_path_forbidden: entry(
    422,
    'The bundle contains a path that is reserved or outside the workspace.',
    'Rename or remove it.',
  ),
  bundle_invalid: entry(
    422,
    'The bundle is not a usable archive.',
    'Pack regular files as zip or tar.gz, within the limits.',
  ),
  bundle_too_large: entry(
    413,
    'A bundle may have at most 64 MiB.',
    'Move large data into the environment image.',
  ),
  share_already_live: entry(409, 'The task is already shared with this target.', 'Revoke that share first.'),
  share_target_invalid: entry(
    422,
    'The share target does not match its kind or does not exist.',
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
    'The digest differs from that of the published version.',
    'Read the version again and approve its canonical_digest.',
  ),
  task_bundle_runner_unsupported: entry(
    409,
    'The runner release of this environment version is not approved.',
    'Rebuild the environment, or have an operator approve the release.',
  ),
} satisfies Record<string, CatalogueEntry>
