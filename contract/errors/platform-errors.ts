import { type CatalogueEntry, entry } from './catalogue-entry.ts'

/** Companies, departments, chatrooms, users and keys. */
export const platformErrors = {
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
