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
  /** Returned to runners only. */
  share_grant_revoked: entry(409, 'The share that supplied a secret is revoked.', 'Share the task again.'),
} satisfies Record<string, CatalogueEntry>
