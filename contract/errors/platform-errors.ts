import { type CatalogueEntry, entry } from './catalogue-entry.ts'

/** Companies, departments, chatrooms, users and keys. */
export const platformErrors = {
  already_exists: entry(409, 'The name is already in use.', 'Choose another name.'),
  in_use: entry(409, 'Other resources still depend on this one.', 'Remove or move them first.'),
  last_administrator: entry(
    409,
    'A company must have at least one administrator.',
    'Appoint another one first.',
  ),
  managed_departments_invalid: entry(
    422,
    'The managed departments do not match the role or do not belong to this company.',
    'Name live departments of the company, and only for role 2.',
  ),
  allowed_chatrooms_invalid: entry(
    422,
    'A sandbox key lists chatrooms that its owner can use; a full key lists none.',
    'Name live chatrooms where the owner is a member or manager, for scope sandbox only.',
  ),
  wrong_password: entry(
    403,
    'The present password is another one.',
    'Type it again, or have an administrator set one.',
  ),
  console_wrong_address: entry(
    403,
    'A sign-in is made by a page of the console, at the address of the service.',
    'Open the console at `console_url`.',
  ),
  operator_read_only: entry(
    403,
    'This sign-in to the operator console is read-only.',
    'Sign in with the address that `sandbox operator console` prints without `--read-only`.',
  ),
  run_ends_full: entry(
    429,
    'Operators wait for the end of as many runs and queues as they may.',
    'Repeat it when workers have ended some. A worker has to be at work for that.',
  ),
  console_needs_https: entry(
    403,
    'Browsers keep a sign-in only for HTTPS and for addresses of their own machine.',
    'Put a proxy with a certificate in front of the service, or open it through `ssh -L`.',
  ),
  audit_busy: entry(
    429,
    'The company reads the audit log as often at once as it may.',
    'Wait until a list or an export has ended, then try again.',
  ),
  usage_busy: entry(
    429,
    'The company reads as many usage reports at once as it may.',
    'Wait until one has ended, then try again.',
  ),
} satisfies Record<string, CatalogueEntry>
