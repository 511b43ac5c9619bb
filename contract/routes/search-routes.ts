import { Type } from 'typebox'
import { about } from '../about.ts'
import { FoundThings, foundMax, foundTextLength } from '../resources/companies/found-thing.ts'
import { PlainText } from '../schema.ts'
import { extensionPrefix } from './prefixes.ts'
import { route } from './route.ts'

/** A search over what the caller may see. */
export const searchRoutes = {
  searchByName: route({
    action: 'company.search',
    tag: 'Platform',
    method: 'GET',
    path: `${extensionPrefix}/search`,
    summary: 'Find rooms, tasks, environments, tables, people and runs by name or identifier',
    description: `At most ${foundMax}, of what the caller may see: rooms that they may enter, active tasks that they manage or borrow, active environments, tables that they manage, for administrators people, and a run by its whole identifier. The case of letters does not matter.`,
    query: Type.Object({
      q: about('Part of a name, or the identifier of a run.', PlainText(foundTextLength), 'report'),
    }),
    response: FoundThings,
    errors: [],
  }),
}
