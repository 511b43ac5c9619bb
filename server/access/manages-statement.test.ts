import { allows } from '@sandbox-jobs/contract/access/decide.ts'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { makeDepartment, makeTenant, makeUser, type UserTraits } from '../../testing/factories/platform.ts'
import { ownedBy } from './allow.ts'
import { managesScope } from './manages-statement.ts'
import type { Principal } from './principal.ts'

const { db } = await createTestDatabase()
const own = await makeTenant(db)
const { companyId, departmentId, roomId } = own
const other = await makeTenant(db)
const otherDepartment = await makeDepartment(db, companyId)

const manages = async (userId: string, scope: string, id: string, company = companyId) => {
  const terms = { companyId: company, userId, scope, id }
  const columns = sql.join(Object.values(terms).map((value) => sql`${value}::text`))
  const { rows } = await sql<{ yes: boolean }>`
    select ${managesScope({
      companyId: sql.ref('t.company_id'),
      userId: sql.ref('t.user_id'),
      scope: sql.ref('t.scope'),
      id: sql.ref('t.id'),
    })} as yes from (values (${columns})) t (company_id, user_id, scope, id)
  `.execute(db)
  return rows[0]?.yes
}

const subjects = [
  ['company', companyId],
  ['department', departmentId],
  ['chatroom', roomId],
] as const
/** Answers of `contract/access` to the same. */
const allowed = (person: Principal, traits: UserTraits) =>
  subjects.map(([scope, id]) =>
    allows(
      'secret.approve',
      person,
      scope === 'chatroom'
        ? { kind: 'room', id, departmentId, membership: membershipOf(traits) }
        : ownedBy({ company_id: companyId, owner_scope: scope, owner_id: id }),
    ),
  )
const membershipOf = ({ managerOf, memberOf }: UserTraits) =>
  managerOf ? 'manager' : memberOf ? 'member' : null

const cases: UserTraits[] = [0, 1, 2, 3, 4].flatMap((role) => [
  { role },
  { role, memberOf: [roomId] },
  { role, managerOf: [roomId] },
  { role, manages: role === 2 ? [departmentId] : [] },
  { role, manages: role === 2 ? [otherDepartment] : [] },
])

test.each(cases.map((traits) => [JSON.stringify(traits), traits] as const))(
  'the statement and the table agree on %s',
  async (_name, traits) => {
    const person = await makeUser(db, companyId, traits)
    const found = []
    for (const [scope, id] of subjects) found.push(await manages(person.principalId, scope, id))
    expect(found).toEqual(allowed(person, traits))
  },
)

test('departments of who is no manager of departments any more do not count', async () => {
  const { principalId } = await makeUser(db, companyId, { role: 1, manages: [departmentId] })
  expect(await manages(principalId, 'department', departmentId)).toBe(false)
})

test('who is disabled, or of another company, manages nothing', async () => {
  const manager = await makeUser(db, companyId, { role: 3 })
  const stranger = await makeUser(db, other.companyId, { role: 3 })
  expect(await manages(stranger.principalId, 'company', companyId)).toBe(false)
  expect(await manages(manager.principalId, 'company', other.companyId, other.companyId)).toBe(false)
  await db
    .updateTable('users')
    .set({ disabled_at: new Date() })
    .where('id', '=', manager.principalId)
    .where('company_id', '=', companyId)
    .execute()
  expect(await manages(manager.principalId, 'company', companyId)).toBe(false)
})
