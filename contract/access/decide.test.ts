import { expect, test } from 'vitest'
import { roles } from '../resources/companies/role.ts'
import { type ActionName, actions } from './actions.ts'
import { type Actor, allows, type OwnedThing, type RoomOfActor, type Subject } from './decide.ts'
import { accessRoles } from './role.ts'

const member: Actor = { companyId: 'com_1', role: 1, managedDepartmentIds: [] }
const manager: Actor = { companyId: 'com_1', role: 2, managedDepartmentIds: ['dep_1'] }
const companyManager: Actor = { companyId: 'com_1', role: 3, managedDepartmentIds: [] }
const administrator: Actor = { companyId: 'com_1', role: 4, managedDepartmentIds: [] }
const everyActor = { member, manager, companyManager, administrator }

const company = { kind: 'company' } as const
const ofDepartment: OwnedThing = {
  kind: 'owned',
  companyId: 'com_1',
  ownerScope: 'department',
  ownerId: 'dep_1',
}
const ofCompany: OwnedThing = { ...ofDepartment, ownerScope: 'company', ownerId: 'com_1' }
const curated: OwnedThing = { ...ofCompany, companyId: null }
const room: RoomOfActor = { kind: 'room', id: 'cht_1', departmentId: 'dep_1', membership: null }

const whoMay = (may: (actor: Actor) => boolean) =>
  Object.entries(everyActor).flatMap(([name, actor]) => (may(actor) ? [name] : []))

test('a thing of a department is managed by the managers of that department and of the company', () => {
  const may = (thing: OwnedThing) => whoMay((actor) => allows('environment.change', actor, thing))
  expect(may(ofDepartment)).toEqual(['manager', 'companyManager', 'administrator'])
  expect(may({ ...ofDepartment, ownerId: 'dep_2' })).toEqual(['companyManager', 'administrator'])
  expect(may(ofCompany)).toEqual(['companyManager', 'administrator'])
  // An owner id is compared within its scope alone.
  expect(may({ ...ofCompany, ownerId: 'dep_1' })).toEqual(['companyManager', 'administrator'])
  expect(may({ ...ofDepartment, ownerScope: 'chatroom' })).toEqual(['companyManager', 'administrator'])
})

test('nobody manages a curated environment, and everybody may read it', () => {
  expect(whoMay((actor) => allows('environment.change', actor, curated))).toEqual([])
  expect(whoMay((actor) => allows('environment.read', actor, curated))).toEqual(Object.keys(everyActor))
})

test('a thing of another company is nothing to anybody', () => {
  const foreign = { ...ofDepartment, companyId: 'com_2', isBorrowed: true }
  const names = Object.keys(actions) as ActionName[]
  const allowed = names.filter((name) => allows(name, administrator, foreign as never))
  expect(allowed).toEqual([])
})

test('a borrower reads a task and does not change it', () => {
  const borrowed = { ...ofDepartment, isBorrowed: true }
  expect(allows('task.read', member, borrowed)).toBe(true)
  expect(allows('task.read', member, ofDepartment)).toBe(false)
  expect(allows('task.read_source', member, borrowed)).toBe(false)
  expect(allows('task.change', member, borrowed)).toBe(false)
})

test('a room is used by its members and managed by flagged members and managers of its department', () => {
  const listed = { ...room, membership: 'member' } as const
  const flagged = { ...room, membership: 'manager' } as const
  expect(allows('run.submit', member, room)).toBe(false)
  expect(allows('run.submit', member, listed)).toBe(true)
  expect(allows('run.quick', member, listed)).toBe(false)
  expect(allows('run.quick', member, flagged)).toBe(true)
  const elsewhere = { ...room, departmentId: 'dep_2' }
  expect(whoMay((actor) => allows('run.quick', actor, elsewhere))).toEqual([
    'companyManager',
    'administrator',
  ])
})

const keyFor = (actor: Actor, ...allowedChatroomIds: string[]): Actor => ({
  ...actor,
  apiKey: { scope: 'sandbox', allowedChatroomIds },
})

test('a sandbox-scope key acts in the rooms that it names, as its owner may, and manages nothing', () => {
  const subjects: Subject[] = [company, ofCompany, { ...ofDepartment, isBorrowed: true }, room]
  const names = Object.keys(actions) as ActionName[]
  const allowedTo = (actor: Actor) =>
    names.filter((name) => subjects.some((subject) => allows(name, actor, subject as never))).sort()
  expect(allowedTo(keyFor(administrator, 'cht_1'))).toEqual([
    'credential.read',
    'file.delete',
    'file.read',
    'file.upload',
    'menu.read',
    'room.list',
    'run.cancel',
    'run.list',
    'run.read',
    'run.read_log',
    'run.read_result',
    'run.submit',
    'session.create',
    'session.list',
  ])
  expect(allowedTo(keyFor(administrator, 'cht_2'))).toEqual([])
  expect(allows('run.submit', keyFor(member, 'cht_1'), room)).toBe(false)
})

test('a full-scope key is its owner', () => {
  const key: Actor = { ...manager, apiKey: { scope: 'full', allowedChatroomIds: [] } }
  expect(allows('environment.change', key, ofDepartment)).toBe(true)
  expect(allows('run.submit', key, room)).toBe(true)
})

test.each(Object.entries(actions))('%s: who may more may it too', (_name, { roles, subject }) => {
  const may: readonly string[] = roles
  if (['open', 'token', 'turn'].includes(subject)) expect(may).toEqual([])
  else if (subject === 'proposal') expect(may).toEqual(['proposer'])
  else if (subject === 'notification') expect(may).toEqual(['recipient'])
  else if (subject === 'session') expect(may).toEqual(['session_owner'])
  else expect(may).toContain('administrator')
  if (may.includes('department_manager')) expect(may).toContain('company_manager')
  if (may.includes('room_member')) expect(may).toContain('room_manager')
  if (may.includes('room_manager')) expect(may).toContain('department_manager')
  if (may.includes('company_member'))
    expect(may.filter((role) => role !== 'auditor')).toEqual(
      accessRoles.filter((role) => !['auditor', 'proposer', 'recipient', 'session_owner'].includes(role)),
    )
})

test('an auditor reads the audit log and nothing else, whatever lists them', () => {
  const auditor: Actor = { ...manager, principalType: 'user', role: roles.auditor }
  const names = Object.keys(actions) as ActionName[]
  expect(names.filter((name) => allows(name, auditor, company as never))).toEqual([
    'sign_in.manage',
    'account.manage',
    'me.read',
    'credential.read',
    'audit.read',
  ])
  expect(allows('run.submit', auditor, { ...room, membership: 'manager' })).toBe(false)
  // People without a role in the company are no auditors.
  expect(allows('audit.read', { ...auditor, principalType: 'social_media_client' }, company)).toBe(false)
})

test('a proposal is decided by the person it was made for alone, and by no key of sandbox scope', () => {
  const own = { kind: 'proposal', isOwn: true } as const
  expect(allows('proposal.decide', member, own)).toBe(true)
  expect(whoMay((actor) => allows('proposal.decide', actor, { ...own, isOwn: false }))).toEqual([])
  expect(allows('proposal.decide', keyFor(member, 'cht_1'), own)).toBe(false)
})

test('a session is used by its owner alone, and by the key of a door in its room', () => {
  const session = { kind: 'session', isOwn: true, roomId: 'cht_1' } as const
  expect(whoMay((actor) => allows('session.use', actor, { ...session, isOwn: false }))).toEqual([])
  expect(allows('session.use', member, session)).toBe(true)
  expect(allows('session.use', keyFor(member, 'cht_1'), session)).toBe(true)
  expect(allows('session.use', keyFor(member, 'cht_2'), session)).toBe(false)
})
