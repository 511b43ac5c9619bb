import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { CompanyId } from '../../identifiers.ts'
import { DateTime } from '../../schema.ts'

/** The tenant. Every resource of a tenant belongs to one company (contract part 3, D1). */
export const Company = Type.Object({
  id: CompanyId,
  name: about('Name of the company.', Type.String(), 'Example Ltd'),
  created_at: about('When it was created.', DateTime),
})
export type Company = Static<typeof Company>
