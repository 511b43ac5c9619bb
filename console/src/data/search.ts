import { type FoundThing, foundTextLength } from '@sandbox-jobs/contract/resources/companies/found-thing.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { apiQuery } from './api/queries.ts'

/** Whether the service searches for the text. */
export const isSearch = (text: string): boolean =>
  text.length >= foundTextLength.minLength && text.length <= foundTextLength.maxLength

/** The group of each kind in the palette and its texts. */
export const groupOf = {
  chatroom: 'rooms',
  task: 'tasks',
  environment: 'environments',
  table: 'tables',
  run: 'runs',
  user: 'people',
} as const satisfies Record<FoundThing['kind'], string>

/** Things that the person may see, by a part of their name. */
export const foundThings = (text: string) => apiQuery(allRoutes.searchByName, { query: { q: text } })
