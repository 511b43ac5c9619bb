import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { TestAgent, tarOf } from '../../../testing/agent/test-agent.ts'
import { makeBuildTools } from '../../../testing/build-tools.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../testing/factories/environment-version.ts'
import { makeSignedImage } from '../../../testing/factories/signed-image.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { DiskStorage } from '../../storage/disk.ts'
import { provisionWaiting } from '../provision-waiting.ts'
import type { BuildTools } from '../request/build.ts'
import { ProvisioningSchedule } from './provisioning-schedule.ts'

/* Versions that are provisioned again on a real host agent. */

const { db } = await createTestDatabase()
const folder = mkdtempSync(join(tmpdir(), 'sandbox-test-provisioning-'))
const storage = new DiskStorage(folder)
let agent: TestAgent
let tools: BuildTools

beforeAll(async () => {
  agent = await TestAgent.start()
  tools = makeBuildTools(db, { storage, executor: agent.client })
})
afterAll(async () => {
  await agent.dispose()
  rmSync(folder, { recursive: true, force: true })
})

const digestOf = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`
const image = (greeting: string) => tarOf([[{ name: 'greeting' }, greeting]])

/** A version that waits for its image, whose promoted copy unpacks to `layer`; its row has that digest, or `diffId`. */
async function waiting(layer: Buffer, diffId = digestOf(layer)) {
  const { companyId } = await makeTenant(db)
  const { id } = await makeEnvironmentVersion(db, { companyId, state: 'regional_provisioning' })
  const { promotedDigest } = await makeSignedImage(tools, { versionId: id, layer, diffId })
  const set = { layer_digest: diffId, promoted_digest: promotedDigest }
  await db.updateTable('environment_versions').set(set).where('id', '=', id).execute()
  return { id, diffId }
}

const provision = () =>
  provisionWaiting(db, tools, {
    signal: new AbortController().signal,
    turns: new ProvisioningSchedule(),
  })

async function stateOf(id: string): Promise<string> {
  const versions = db.selectFrom('environment_versions').select('state')
  return (await versions.where('id', '=', id).executeTakeFirstOrThrow()).state
}

it('installs an image again that the host has lost', async () => {
  const version = await waiting(await image('hello'))
  await provision()
  expect([await stateOf(version.id), await agent.client.hasImage(version.diffId)]).toEqual(['ready', true])
  await agent.client.removeImage(version.diffId)
  await db
    .updateTable('environment_versions')
    .set({ state: 'regional_provisioning' })
    .where('id', '=', version.id)
    .execute()
  await provision()
  expect([await stateOf(version.id), await agent.client.hasImage(version.diffId)]).toEqual(['ready', true])
})

it('blocks a version whose image unpacks to something else, or to nothing', async () => {
  const other = await waiting(await image('other'), digestOf(Buffer.from('another layer')))
  const nothing = await waiting(Buffer.alloc(2048, 'no archive'))
  await provision()
  expect([await stateOf(other.id), await stateOf(nothing.id)]).toEqual([
    'provisioning_blocked',
    'provisioning_blocked',
  ])
  expect(await agent.client.hasImage(other.diffId)).toBe(false)
})

it('waits for an unavailable host', async () => {
  const version = await waiting(await image('later'))
  await agent.end('SIGKILL')
  await provision()
  expect(await stateOf(version.id)).toBe('regional_provisioning')
  await agent.start()
  await provision()
  expect(await stateOf(version.id)).toBe('ready')
})
