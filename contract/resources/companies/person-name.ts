import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { UserId } from '../../identifiers.ts'
import { exampleId } from '../../ids.ts'
import { listOf } from '../../pagination.ts'
import { PrincipalType } from '../runs/run.ts'

/** A person in a room. */
export const RoomPerson = Type.Object({
  id: UserId,
  display_name: about('Name as people see it.', Type.String(), 'Ada'),
  manages: about('Whether the person is flagged as a manager of the room.', Type.Boolean(), false),
})
export type RoomPerson = Static<typeof RoomPerson>

export const RoomPersonList = listOf(RoomPerson)
export type RoomPersonList = Static<typeof RoomPersonList>

export const namesMax = 100

export const PersonName = Type.Object({
  id: about('Identifier of the person.', Type.String(), exampleId('user')),
  kind: about('Kind of the person.', PrincipalType),
  name: about('Name as people see it.', Type.String(), 'Ada'),
})
export type PersonName = Static<typeof PersonName>

export const PersonNames = Type.Object({
  items: about(
    'Those whom the caller may know; the others are left out.',
    Type.Array(PersonName, { maxItems: namesMax }),
  ),
})
export type PersonNames = Static<typeof PersonNames>
