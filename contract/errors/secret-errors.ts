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
    'Ask the operator to look at the keys folder.',
  ),
  sandbox_secret_pepper_missing: entry(503, 'The secret store is not configured.', 'Ask the operator.'),
  sandbox_vault_unconfigured: entry(503, 'The secret store is not configured.', 'Ask the operator.'),
  /** Answered to runners only. */
  share_grant_revoked: entry(409, 'The share that lent a secret has ended.', 'Share the task again.'),
} satisfies Record<string, CatalogueEntry>
