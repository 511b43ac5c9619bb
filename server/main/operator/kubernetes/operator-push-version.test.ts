import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../../testing/factories/environment-version.ts'
import { makeSignedImage } from '../../../../testing/factories/signed-image.ts'
import { ImageRegistry } from '../../../../testing/kubernetes/image-registry.ts'
import { keysFolder } from '../../../base/keys/keys.ts'
import { SigningKeys, signingKeysFolder } from '../../../base/keys/signing-keys.ts'
import { findComposed } from '../../../environments/versions/composed-image-store.ts'
import { DiskStorage } from '../../../storage/disk.ts'
import { pushVersion } from './operator-push-version.ts'

const { db, url } = await createTestDatabase()
let folder: string
let registry: ImageRegistry

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'push-version-'))
  mkdirSync(keysFolder(folder), { recursive: true })
  writeFileSync(join(keysFolder(folder), 'root.key'), 'ab'.repeat(32), { mode: 0o600 })
  vi.stubEnv('SANDBOX_DATA', folder)
  vi.stubEnv('DATABASE_URL', url)
  registry = await ImageRegistry.start()
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await registry.stop()
  rmSync(folder, { recursive: true })
})

const repository = () => `${registry.url.slice('http://'.length)}/images`
const push = (id: string) => pushVersion(id, { to: repository(), plainHttp: true })

async function makeVersion() {
  const signing = new SigningKeys(signingKeysFolder(folder))
  signing.prepare()
  const { id } = await makeEnvironmentVersion(db, { companyId: null })
  const tools = { storage: new DiskStorage(join(folder, 'objects')), signing }
  const made = await makeSignedImage(tools, { versionId: id, layer: Buffer.from(`the layer of ${id}`) })
  await db
    .updateTable('environment_versions')
    .set({ promoted_digest: made.promotedDigest, layer_digest: made.layerDigest })
    .where('id', '=', id)
    .execute()
  return { id, ...made }
}

test('the composed image of a version is recorded once the registry has it', async () => {
  const { id, promotedDigest, layerDigest } = await makeVersion()
  const outcome = await push(id)
  expect(outcome).toMatchObject({ ok: true, value: { pushed: { promotedDigest } } })
  const [row] = await db
    .selectFrom('composed_images')
    .selectAll()
    .where('installed_digest', '=', layerDigest)
    .execute()
  const image = {
    installedDigest: layerDigest,
    runnerDigest: row?.runner_digest ?? '',
    repository: repository(),
  }
  const composed = await findComposed(db, image)
  expect(registry.manifests.has(composed ?? '')).toBe(true)
  await push(id)
  expect(await findComposed(db, image)).toBe(composed)
  expect(await findComposed(db, { ...image, repository: 'other/images' })).toBeUndefined()
})

test('nothing is recorded of an image that the registry does not have', async () => {
  const { id, layerDigest } = await makeVersion()
  registry.fault = 'forgets a blob'
  expect(await push(id)).toMatchObject({
    ok: true,
    value: { refused: expect.stringMatching(/does not have a blob/) as string },
  })
  const rows = db.selectFrom('composed_images').selectAll().where('installed_digest', '=', layerDigest)
  expect(await rows.execute()).toEqual([])
})

test('a version that is blocked, or unknown, is not pushed', async () => {
  const { id } = await makeVersion()
  await db
    .updateTable('environment_versions')
    .set({ security_state: 'blocked' })
    .where('id', '=', id)
    .execute()
  for (const version of [id, 'ver_unknown'])
    expect(await push(version)).toMatchObject({
      ok: true,
      value: { refused: 'no version with an image has that id' },
    })
  expect(registry.requests).toEqual([])
})
