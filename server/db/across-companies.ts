import { type RawBuilder, sql } from 'kysely'

/** Prefix of a declared statement. */
export const acrossCompaniesTag = '/* across companies: '

/**
 * Declares that a statement reads or writes rows of a tenant table without comparing `company_id`, and why that is safe.
 * Only for sweeps, queue claims, credential lookups and operator commands, never for an id that a tenant sent. In tests
 * every undeclared statement of this kind fails (`testing/tenant-wall`).
 */
export const acrossCompanies = (reason: string): RawBuilder<never> =>
  sql.raw(`${acrossCompaniesTag}${reason.replaceAll('*/', '')} */`)
