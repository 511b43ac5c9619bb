import { Type } from 'typebox'
import { about } from '../about.ts'
import { exampleId, Identifier } from '../ids.ts'
import { pageSizeMax } from '../limits.ts'
import { pageFields } from '../pagination.ts'
import { namesMax, PersonNames, RoomPersonList } from '../resources/companies/person-name.ts'
import { extensionPrefix } from './prefixes.ts'
import { route } from './route.ts'
import { ChatroomParams } from './run-routes.ts'

/** Names of people whom the caller meets in rooms. */
export const peopleRoutes = {
  listRoomPeople: route({
    action: 'room.list_people',
    tag: 'Chatrooms',
    method: 'GET',
    path: `${extensionPrefix}/chatrooms/{cid}/people`,
    summary: 'List the people of a chatroom with their names',
    description:
      'Its members. Managers of its department and of the company may enter it too, and are not listed.',
    params: ChatroomParams,
    query: Type.Object(pageFields(pageSizeMax)),
    response: RoomPersonList,
    errors: ['not_found'],
  }),
  readNames: route({
    action: 'name.read',
    tag: 'Chatrooms',
    method: 'GET',
    path: `${extensionPrefix}/names`,
    summary: 'Read the names of people by their ids',
    description:
      'Of people and external people in the rooms of the caller, of managers of their departments, and of company managers. An id that the caller may not know is left out, as is one that names nobody.',
    query: Type.Object({
      ids: about('Ids of people, at most 100.', Type.Array(Identifier, { minItems: 1, maxItems: namesMax }), [
        exampleId('user'),
      ]),
    }),
    response: PersonNames,
    errors: [],
  }),
}
