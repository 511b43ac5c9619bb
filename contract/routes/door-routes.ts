import { DoorId } from '../identifiers.ts'
import { Door, DoorCreateRequest, DoorList, DoorWithKey } from '../resources/doors/door.ts'
import { Strict } from '../schema.ts'
import { extensionPrefix } from './prefixes.ts'
import { route } from './route.ts'
import { ChatroomParams } from './run-routes.ts'

const doors = `${extensionPrefix}/chatrooms/{cid}/doors` as const
const one = `${doors}/{did}` as const
const managed = { action: 'door.manage', tag: 'Doors' } as const
const ofOne = {
  ...managed,
  path: one,
  params: Strict({ ...ChatroomParams.properties, did: DoorId }),
  errors: ['not_found'],
} as const

/** Addresses for the code tools of platforms, by managers of a room (an extension; see docs/doors.md). */
export const doorRoutes = {
  listDoors: route({
    ...managed,
    method: 'GET',
    path: doors,
    summary: 'List the doors of a chatroom',
    description: 'All on one page. Their keys are not shown.',
    params: ChatroomParams,
    response: DoorList,
    errors: ['not_found'],
  }),
  createDoor: route({
    ...managed,
    method: 'POST',
    path: doors,
    summary: 'Create a door: an address in the form that the code tool of a platform knows',
    description:
      'The answer has the key that the platform sends, which is not shown again. Each program that comes by the door is an ordinary run of the room, submitted as the caller: it does not start once the door is gone or the caller no longer manages the room. A foreign or unknown environment version is not found.',
    params: ChatroomParams,
    body: DoorCreateRequest,
    response: DoorWithKey,
    errors: ['not_found', 'already_exists', 'door_limit', 'environment_version_not_ready'],
  }),
  readDoor: route({
    ...ofOne,
    method: 'GET',
    summary: 'Read a door',
    description: 'Without its key.',
    response: Door,
  }),
  deleteDoor: route({
    ...ofOne,
    method: 'DELETE',
    summary: 'Remove a door with its key',
    description: 'Its runs stay in the lists of the room. Those that wait in the queue do not start.',
    response: Door,
  }),
}
