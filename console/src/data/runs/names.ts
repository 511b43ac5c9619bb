import type { PersonNames } from '@sandbox-jobs/contract/resources/companies/person-name.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { apiQuery } from '../api/queries.ts'

/** The name of a person, if the reader may know it. */
export const nameOf = (id: string) => ({
  ...apiQuery(allRoutes.readNames, { query: { ids: [id] } }),
  select: ({ items }: PersonNames) => items[0]?.name,
})
