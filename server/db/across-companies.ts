import { type RawBuilder, sql } from 'kysely'

/** How a declared statement's text says that it is one. */
export const acrossCompaniesTag = '/* across companies: '

/**
 * Declares that a statement reads or changes rows of a tenant table without binding their company, and why that is right.
 * It is for sweeps, claims of the queue, the look-up of a credential and acts of the operator, never for an id that a
 * tenant sent. In tests each other such statement fails (`testing/tenant-wall`).
 */
export const acrossCompanies = (reason: string): RawBuilder<never> =>
  sql.raw(`${acrossCompaniesTag}${reason.replaceAll('*/', '')} */`)
