import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { expect, it } from 'vitest'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db, { mailServer: 'smtp://127.0.0.1:25' })
const tenant = await makeTenant(db)

it('a person reads and replaces what they get no e-mail about, each their own', async () => {
  const { member, stranger } = tenant
  expect(await api.must(allRoutes.readMailPreferences, member)).toEqual({
    is_sent: false,
    address: null,
    muted_events: [],
  })
  await db
    .updateTable('users')
    .set({ email: 'ada@people.test' })
    .where('id', '=', member.principalId)
    .execute()
  const muted_events = ['run_terminal', 'build_ready']
  await api.must(allRoutes.updateMailPreferences, member, { body: { muted_events } })
  expect(await api.must(allRoutes.readMailPreferences, member)).toEqual({
    is_sent: true,
    address: 'ada@people.test',
    muted_events: ['build_ready', 'run_terminal'],
  })
  await api.must(allRoutes.updateMailPreferences, member, { body: { muted_events: [] } })
  expect((await api.must(allRoutes.readMailPreferences, member)).muted_events).toEqual([])
  expect((await api.must(allRoutes.readMailPreferences, stranger)).muted_events).toEqual([])
})

it.each([[{ muted_events: ['unknown'] }], [{ muted_events: ['build_ready', 'build_ready'] }], [{}]])(
  '%j is refused, and changes nothing',
  async (body) => {
    const answer = await api.call(allRoutes.updateMailPreferences, tenant.stranger, { body })
    expect(answer.status).toBe(422)
    expect(
      await db
        .selectFrom('mail_preferences')
        .selectAll()
        .where('company_id', '=', tenant.companyId)
        .where('user_id', '=', tenant.stranger.principalId)
        .execute(),
    ).toEqual([])
  },
)
