import { type CatalogueEntry, entry } from './catalogue-entry.ts'

/** Addresses for the code tools of platforms. */
export const doorErrors = {
  door_limit: entry(409, 'The company has 50 doors, the maximum.', 'Remove one that is not needed.'),
} satisfies Record<string, CatalogueEntry>
