import { randomBytes } from 'node:crypto'
import { beforeEach, expect, it } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../testing/factories/environment-version.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { newId } from '../../base/ids.ts'
import { isBeingBuilt } from '../../builds/attempts/last-build-store.ts'
import { transitionVersion } from '../versions/version-transitions.ts'
import { blockDigest, listBlockedDigests, unblockDigest } from './digest-blocks.ts'

const { db } = await createTestDatabase()
let tenant: Tenant

beforeEach(async () => {
  tenant = await makeTenant(db)
})

const newDigest = () => `sha256:${randomBytes(32).toString('hex')}`

async function versionWith(
  image: Partial<Record<'layer_digest' | 'promoted_digest' | 'composed_execution_digest', string>>,
  state = 'ready',
) {
  const version = await makeEnvironmentVersion(db, { companyId: tenant.companyId, state })
  const own = { layer_digest: newDigest(), promoted_digest: newDigest(), ...image }
  await db.updateTable('environment_versions').set(own).where('id', '=', version.id).execute()
  return version
}

const statesOf = async (id: string) => {
  const row = await db
    .selectFrom('environment_versions')
    .select(['state', 'security_state'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return [row.state, row.security_state]
}

const currentOf = async (environmentId: string) => {
  const row = await db
    .selectFrom('environments')
    .select('current_version_id')
    .where('id', '=', environmentId)
    .executeTakeFirstOrThrow()
  return row.current_version_id
}

it.each(['layer_digest', 'promoted_digest', 'composed_execution_digest'] as const)(
  'blocks a version by its %s, and no other version',
  async (column) => {
    const digest = newDigest()
    const [own, other] = [await versionWith({ [column]: digest }), await versionWith({})]
    expect(await blockDigest(db, { digest, reason: 'miner', isBeingBuilt })).toEqual([own.id])
    expect(await statesOf(own.id)).toEqual(['blocked', 'blocked'])
    expect(await currentOf(own.environmentId)).toBeNull()
    expect(await statesOf(other.id)).toEqual(['ready', 'clear'])
    expect(await unblockDigest(db, digest)).toEqual([own.id])
    expect(await currentOf(own.environmentId)).toBe(own.id)
  },
)

it.each(['verified', 'regional_provisioning', 'ready', 'superseded', 'provisioning_blocked'])(
  'restores the state %s',
  async (state) => {
    const digest = newDigest()
    const { id } = await versionWith({ layer_digest: digest }, state)
    await blockDigest(db, { digest, reason: 'miner', isBeingBuilt })
    await blockDigest(db, { digest, reason: 'miner, looked at again', isBeingBuilt })
    expect(await statesOf(id)).toEqual(['blocked', 'blocked'])
    expect(await unblockDigest(db, digest)).toEqual([id])
    expect(await statesOf(id)).toEqual([state, 'clear'])
  },
)

it('also forbids runs of an archived version, which stays archived', async () => {
  const digest = newDigest()
  const { id } = await versionWith({ layer_digest: digest }, 'archived')
  await blockDigest(db, { digest, reason: 'miner', isBeingBuilt })
  expect(await statesOf(id)).toEqual(['archived', 'blocked'])
  await unblockDigest(db, digest)
  expect(await statesOf(id)).toEqual(['archived', 'clear'])
})

it('lasts as long as one of the digests of a version is blocked', async () => {
  const [layer, manifest] = [newDigest(), newDigest()]
  const { id } = await versionWith({ layer_digest: layer, promoted_digest: manifest })
  await blockDigest(db, { digest: layer, reason: 'miner', isBeingBuilt })
  await blockDigest(db, { digest: manifest, reason: 'miner', isBeingBuilt })
  expect(await unblockDigest(db, layer)).toEqual([])
  expect(await statesOf(id)).toEqual(['blocked', 'blocked'])
  expect(await unblockDigest(db, manifest)).toEqual([id])
  expect(await statesOf(id)).toEqual(['ready', 'clear'])
  expect(await unblockDigest(db, manifest)).toBeUndefined()
})

it('blocks a version that becomes ready later', async () => {
  const digest = newDigest()
  await blockDigest(db, { digest, reason: 'miner', isBeingBuilt })
  expect(await listBlockedDigests(db)).toContainEqual(expect.objectContaining({ digest, reason: 'miner' }))
  const { id, environmentId } = await versionWith({ layer_digest: digest }, 'regional_provisioning')
  await db
    .transaction()
    .execute((trx) => transitionVersion(trx, { id, company_id: tenant.companyId }, { to: 'ready' }))
  expect(await statesOf(id)).toEqual(['blocked', 'blocked'])
  expect(await currentOf(environmentId)).toBeNull()
})

it('lets an active build continue, and its version ends blocked', async () => {
  const digest = newDigest()
  const { id } = await versionWith({ layer_digest: digest }, 'regional_provisioning')
  const attempt = {
    id: newId('buildAttempt'),
    company_id: tenant.companyId,
    environment_version_id: id,
    attempt_number: 1,
    state: 'verifying',
    build_region: 'onprem',
    build_profile: 'standard',
  }
  await db.insertInto('build_attempts').values(attempt).execute()
  await blockDigest(db, { digest, reason: 'miner', isBeingBuilt })
  expect(await statesOf(id)).toEqual(['regional_provisioning', 'blocked'])
  await db
    .transaction()
    .execute((trx) => transitionVersion(trx, { id, company_id: tenant.companyId }, { to: 'ready' }))
  expect(await statesOf(id)).toEqual(['blocked', 'blocked'])
})

it('misses no version that becomes ready concurrently', async () => {
  const digest = newDigest()
  const made = []
  for (let count = 0; count < 12; count += 1) {
    made.push(await versionWith({ layer_digest: digest }, 'regional_provisioning'))
  }
  const readying = made.map(({ id }) =>
    db
      .transaction()
      .execute((trx) =>
        transitionVersion(
          trx,
          { id, company_id: tenant.companyId },
          { to: 'ready', from: ['regional_provisioning'] },
        ),
      ),
  )
  await Promise.all([...readying, blockDigest(db, { digest, reason: 'miner', isBeingBuilt })])
  for (const { id } of made) expect(await statesOf(id)).toEqual(['blocked', 'blocked'])
})
