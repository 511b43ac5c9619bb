import { type CatalogueEntry, entry } from './catalogue-entry.ts'

/** Secrets. */
export const secretErrors = {
  sandbox_transit_keypair_missing: entry(
    422,
    'The server has no key pair for encrypted values.',
    'Ask the operator to configure one.',
  ),
  public_key_unavailable: entry(
    503,
    'The server has no key pair for encrypted values.',
    'Ask the operator to check the keys folder.',
  ),
  secret_limit_reached: entry(
    409,
    'The maximum number of live secrets or approvals is reached.',
    'Revoke those that no task needs.',
  ),
  sandbox_secret_pepper_missing: entry(
    503,
    'The secret store has no pepper.',
    'Ask the operator to check the keys folder.',
  ),
  sandbox_vault_unconfigured: entry(
    503,
    'The keys that encrypt the stored secrets cannot be used.',
    'Try again later; if the error persists, ask the operator.',
  ),
  next_versions_until_invalid: entry(
    422,
    'An approval covers next versions for at most 90 days.',
    'Give a time after now and at most 90 days ahead in next_versions_until.',
  ),
  version_author_left: entry(
    409,
    'The author of this version no longer manages the task, so their next versions cannot be covered.',
    'Approve a version of somebody who manages the task, or this version alone.',
  ),
  /** Returned to runners only. */
  share_grant_revoked: entry(409, 'The share that supplied a secret is revoked.', 'Share the task again.'),
} satisfies Record<string, CatalogueEntry>
