import { expect, test } from 'vitest'
import { emptyKey, isNamed, namesRooms, requestOf } from './key-draft.ts'

const now = Date.parse('2026-11-30T12:00:00Z')

test('a key is for rooms and expires, unless the person chooses otherwise', () => {
  expect(requestOf({ ...emptyKey, name: 'shop', rooms: ['roo_1'] }, now)).toEqual({
    name: 'shop',
    scope: 'sandbox',
    allowed_chatroom_ids: ['roo_1'],
    expires_at: '2027-02-28T12:00:00.000Z',
  })
})

test('a key with all rights names no room, also when some were chosen before', () => {
  const draft = { ...emptyKey, name: 'shop', rooms: ['roo_1'], scope: 'full', lifetime: 'never' } as const
  expect(requestOf({ ...draft, rooms: ['roo_1'] }, now)).toEqual({ name: 'shop', scope: 'full' })
})

test('origins are sent once each, however they are written below each other', () => {
  const origins = 'https://a.test\n\n https://b.test https://a.test\n'
  expect(requestOf({ ...emptyKey, origins, owner: 'usr_1' }, now)).toMatchObject({
    domains: ['https://a.test', 'https://b.test'],
    owner_user_id: 'usr_1',
  })
})

test('a name is visible, and a key for rooms has one', () => {
  expect(isNamed({ ...emptyKey, name: ' ' })).toBe(false)
  expect(namesRooms(emptyKey)).toBe(false)
  expect(namesRooms({ ...emptyKey, scope: 'full' })).toBe(true)
})
