import { baseImageRoutes } from '@sandbox-jobs/contract/routes/base-image-routes.ts'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { ExecutorRefused } from '../../../../agent/port/errors.ts'
import type { StoredBase } from '../../../../agent/port/platform.ts'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeExecutor } from '../../../../testing/factories/executors.ts'
import { makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import { publishBaseImages } from '../../../builds/bases/base-images.ts'

const { db } = await createTestDatabase()
const digest = (letter: string) => `sha256:${letter.repeat(64)}`
let tenant: Tenant
beforeEach(async () => {
  tenant = await makeTenant(db)
})

const api = new TestApi(db)
const list = (of = api) => of.must(baseImageRoutes.listBaseImages, tenant.member)
const publish = (baseImages: StoredBase[]) =>
  publishBaseImages({
    db,
    executorId: '1'.repeat(32),
    executor: { builder: async () => ({ toolchainDigest: digest('f'), baseImages }) },
  })

const made = {
  debian: 'trixie',
  preset: 'python:3.13',
  packages: ['python3'],
  languages: [{ name: 'python', version: '3.13.5' }],
  byteSize: 1000,
  madeAt: '2026-11-24T09:30:00.000Z',
}

test('every member sees the images that builds find, as they are now', async () => {
  const images = [
    { name: 'localhost/curated/shell:trixie', digest: digest('2') },
    { name: 'localhost/curated/python:3.13', digest: digest('1'), made },
  ]
  expect(await publish(images)).toEqual({ published: 2 })
  expect((await list()).items).toEqual([
    {
      name: 'curated/python:3.13',
      tag: '3.13',
      digest: digest('1'),
      preset: 'python:3.13',
      debian: 'trixie',
      languages: made.languages,
      packages: ['python3'],
      byte_size: 1000,
      made_at: made.madeAt,
    },
    expect.objectContaining({ name: 'curated/shell:trixie', languages: [], made_at: null }),
  ])
  expect(await publish(images.toReversed())).toEqual({ published: 0 })
  expect(await publish([{ name: 'localhost/curated/python:3.13', digest: digest('3'), made }])).toEqual({
    published: 1,
  })
  expect((await list()).items.map((image) => image.digest)).toEqual([digest('3')])
})

test('only images are offered that all executors have', async () => {
  const other = '2'.repeat(32)
  await makeExecutor(db, other)
  const both = { name: 'curated/both:1', digest: digest('1') }
  await publish([both, { name: 'curated/one:1', digest: digest('2') }])
  expect((await list()).items).toEqual([])
  const builder = async () => ({
    toolchainDigest: digest('f'),
    baseImages: [{ ...both, digest: digest('3') }],
  })
  await publishBaseImages({ db, executorId: other, executor: { builder } })
  expect((await list()).items.map(({ name, digest: shown }) => [name, shown])).toEqual([
    [both.name, both.digest],
  ])
  await sql`update executors set released = true`.execute(db)
  expect((await list()).items.map(({ name }) => name)).toEqual(['curated/both:1', 'curated/one:1'])
  await db.deleteFrom('base_images').where('executor', '=', other).execute()
})

test('without a builder there is nothing to start from', async () => {
  await publish([{ name: 'curated/python:3.13', digest: digest('1') }])
  const builder = () => Promise.reject(new ExecutorRefused('builder_missing', 'install it'))
  await publishBaseImages({ db, executorId: '1'.repeat(32), executor: { builder } })
  expect((await list()).items).toEqual([])
})

test.each([
  ['the public hub', { registry: undefined, publicRegistries: true }, 'docker.io', true],
  ['a registry of the operator', { registry: 'r.example/m', publicRegistries: true }, 'r.example/m', true],
  ['that alone', { registry: 'r.example/m', publicRegistries: false }, 'r.example/m', false],
  ['no registry', { registry: 'none', publicRegistries: true }, null, true],
  ['nothing at all', { registry: undefined, publicRegistries: false }, null, false],
])('other names mean %s', async (_name, settings, registry, others) => {
  expect(await list(new TestApi(db, settings))).toMatchObject({ registry, other_registries: others })
})
