import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import {
  makeDepartment,
  makeRoom,
  makeTenant,
  makeUser,
  withSandboxKey,
} from '../../../testing/factories/platform.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import type { Principal } from '../principal.ts'
import { Directory } from './directory.ts'

const { db } = await createTestDatabase()
const directory = new Directory(db)
const tenant = await makeTenant(db)
const { companyId, departmentId, roomId } = tenant
const otherDepartment = await makeDepartment(db, companyId)
const stranger = await makeTenant(db)

/** Principals who may act in the room or manage it, by every way a person can stand to it. */
const people: { who: string; principal: Principal; member: boolean; manager: boolean }[] = [
  { who: 'a member of the company', principal: await makeUser(db, companyId), member: false, manager: false },
  {
    who: 'a member of the room',
    principal: await makeUser(db, companyId, { memberOf: [roomId] }),
    member: true,
    manager: false,
  },
  {
    who: 'a member flagged as its manager',
    principal: await makeUser(db, companyId, { managerOf: [roomId] }),
    member: true,
    manager: true,
  },
  {
    who: 'the manager of its department',
    principal: await makeUser(db, companyId, { role: 2, manages: [departmentId] }),
    member: true,
    manager: true,
  },
  {
    who: 'the manager of another department',
    principal: await makeUser(db, companyId, { role: 2, manages: [otherDepartment] }),
    member: false,
    manager: false,
  },
  {
    who: 'a company manager',
    principal: await makeUser(db, companyId, { role: 3 }),
    member: true,
    manager: true,
  },
  {
    who: 'an administrator',
    principal: await makeUser(db, companyId, { role: 4 }),
    member: true,
    manager: true,
  },
  {
    who: 'an administrator of another company',
    principal: await makeUser(db, stranger.companyId, { role: 4 }),
    member: false,
    manager: false,
  },
  {
    who: 'a sandbox key of a member, that names the room',
    principal: withSandboxKey(await makeUser(db, companyId, { memberOf: [roomId] }), [roomId]),
    member: true,
    manager: false,
  },
  {
    who: 'a sandbox key of an administrator, that names the room',
    principal: withSandboxKey(await makeUser(db, companyId, { role: 4 }), [roomId]),
    member: true,
    manager: false,
  },
  {
    who: 'a sandbox key of a member, that names another room',
    principal: withSandboxKey(await makeUser(db, companyId, { memberOf: [roomId] }), [stranger.roomId]),
    member: false,
    manager: false,
  },
]

const outcome = (call: Promise<{ id: string }>): Promise<string> =>
  call.then(
    (room) => room.id,
    (error: unknown) => (error instanceof CodedError ? error.code : String(error)),
  )

describe('who may act in a room', () => {
  for (const { who, principal, member, manager } of people) {
    it(`${who}: ${member ? 'acts in it' : 'does not see it'}`, async () => {
      expect(await outcome(directory.requireRoom(principal, 'run.submit', roomId))).toBe(
        member ? roomId : 'not_found',
      )
    })
    it(`${who}: ${manager ? 'manages it' : 'does not manage it'}`, async () => {
      expect(await outcome(directory.requireRoom(principal, 'run.quick', roomId))).toBe(
        manager ? roomId : 'not_found',
      )
    })
  }

  it('lets nobody into a deleted room', async () => {
    const deleted = await makeRoom(db, tenant)
    const administrator = await makeUser(db, companyId, { role: 4, memberOf: [deleted] })
    await db.updateTable('chatrooms').set({ deleted_at: new Date() }).where('id', '=', deleted).execute()
    expect(await directory.room(companyId, deleted)).toBeUndefined()
    expect(await outcome(directory.requireRoom(administrator, 'run.submit', deleted))).toBe('not_found')
  })

  it('answers nothing about the rooms and departments of another company', async () => {
    expect(await directory.room(companyId, stranger.roomId)).toBeUndefined()
    expect(await directory.department(companyId, stranger.departmentId)).toBeUndefined()
    expect(await directory.names('chatrooms', companyId, [roomId, stranger.roomId])).toEqual(
      new Map([[roomId, roomId]]),
    )
  })

  it('lists the rooms that a person is in or manages', async () => {
    const second = await makeRoom(db, { companyId, departmentId: otherDepartment })
    const joined = await makeRoom(db, { companyId, departmentId: otherDepartment })
    const person = await makeUser(db, companyId, {
      role: 2,
      manages: [departmentId],
      managerOf: [second],
      memberOf: [joined],
    })
    expect((await directory.managedRoomIds(person)).toSorted()).toEqual([roomId, second].toSorted())
    expect(await directory.managedRoomIds(withSandboxKey(person, [roomId]))).toEqual([])
    expect((await directory.roomIdsOf(person)).toSorted()).toEqual([roomId, second, joined].toSorted())
    expect(await directory.roomIdsOf(withSandboxKey(person, [roomId]))).toEqual([])
  })
})

describe('the database', () => {
  it('refuses to join things of two companies', async () => {
    const { principalId } = await makeUser(db, companyId)
    await expect(makeRoom(db, { companyId, departmentId: stranger.departmentId })).rejects.toThrow(
      /foreign key/,
    )
    await expect(makeUser(db, companyId, { memberOf: [stranger.roomId] })).rejects.toThrow(/foreign key/)
    await expect(makeUser(db, companyId, { manages: [stranger.departmentId] })).rejects.toThrow(/foreign key/)
    const member = { company_id: stranger.companyId, chatroom_id: stranger.roomId, user_id: principalId }
    await expect(db.insertInto('chatroom_members').values(member).execute()).rejects.toThrow(/foreign key/)
  })
})
