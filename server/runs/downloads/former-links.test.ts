import { linkRoutes } from '@sandbox-jobs/contract/routes/link-routes.ts'
import { publicLinkRoutes } from '@sandbox-jobs/contract/routes/public-link-routes.ts'
import { expect, it } from 'vitest'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { countFormerLinks, endFormerLinks } from './former-links.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const linkKeys = api.keys.derive('public-link')

/** A run with a log, and what its readers do with the permanent link of it. */
async function runWithLog() {
  const tenant = await makeTenant(db)
  const task = await makeRunnableTask(db, tenant.companyId)
  const ended = { state: 'completed', exit_code: 0, terminal_at: new Date() }
  const rid = await makeRun(db, task, { chatroom_id: tenant.roomId, ...ended })
  const { byteSize, digest } = await api.storage.put(`runs/${rid}/log`, Buffer.from('printed\n'))
  const content = { log_key: `runs/${rid}/log`, log_bytes: byteSize, log_digest: digest }
  await db
    .insertInto('run_contents')
    .values({ run_id: rid, company_id: tenant.companyId, ...content })
    .execute()
  const params = { cid: tenant.roomId, rid }
  const statusOf = async (url: string) => (await api.app.inject(new URL(url).pathname)).statusCode
  return {
    statusOf,
    mint: async () => (await api.call(publicLinkRoutes.mintLogLink, tenant.member, { params })).body.url,
    revoke: async () => (await api.call(publicLinkRoutes.revokeLogLink, tenant.member, { params })).body,
    listed: async () => {
      const { body } = await api.call(linkRoutes.listRunLinks, tenant.member, { params })
      return body.items.map(({ url }) => url)
    },
  }
}

it('keeps permanent links when the root key is rotated, and ends them when it is retired', async () => {
  const [one, other] = [await runWithLog(), await runWithLog()]
  const [url, revoked] = [await one.mint(), await other.mint()]
  await other.revoke()
  api.keys.rotateRoot()
  expect([await one.mint(), await one.listed(), await one.statusOf(url)]).toEqual([url, [url], 200])
  const third = await runWithLog()
  const later = await third.mint()
  expect(await countFormerLinks(db, linkKeys)).toBe(1)

  await endFormerLinks(db, linkKeys, new Date())
  api.keys.root.retire()
  expect([await one.statusOf(url), await one.listed(), await third.statusOf(later)]).toEqual([404, [], 200])
  expect(await other.revoke()).toMatchObject({ url: '', revoked: true })
  const next = await one.mint()
  expect(next).not.toBe(url)
  expect([await one.statusOf(next), await other.statusOf(revoked)]).toEqual([200, 404])
  expect(await countFormerLinks(db, linkKeys)).toBe(0)
})
