import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, expect, it, vi } from 'vitest'
import { tar } from '../../../reader/formats/archive-fixtures.ts'
import type { ArchiveReaders } from '../../../reader/process/archive-readers.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { testReaders } from '../../../testing/test-readers.ts'
import { createLog } from '../../base/logging.ts'
import { DiskStorage } from '../../storage/disk.ts'
import { buildLogKey } from '../logs/build-log-store.ts'
import type { Build, BuildTools } from '../request/build.ts'
import type { BuildRequest } from '../request/build-request.ts'
import { validateContext } from './validate-context.ts'

const { db } = await createTestDatabase()
const { companyId } = await makeTenant(db)
const folder = mkdtempSync(join(tmpdir(), 'sandbox-test-validator-'))
const storage = new DiskStorage(folder)
const log = createLog('test', 'silent')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Unusual {
  digest?: string
  readers?: ArchiveReaders
  cache?: BuildRequest['cache']
}

const zero = `sha256:${'0'.repeat(64)}`

async function buildOf(
  attemptId: string,
  archive: Buffer,
  { digest, readers = testReaders(log), cache = 'images' }: Unusual = {},
): Promise<Build> {
  const key = `contexts/${attemptId}`
  await storage.put(key, archive)
  const stored = `sha256:${createHash('sha256').update(archive).digest('hex')}`
  const builder = { id: 'test', release: '0', programDigest: zero }
  const tools: Partial<BuildTools> = { storage, readers, log, builder }
  const context = {
    key,
    format: 'tar',
    byteSize: archive.length,
    digest: digest ?? stored,
    uploadedAt: new Date(),
  } as const
  const request: Partial<BuildRequest> = { attemptId, companyId, cache, context }
  const build: Partial<Build> = {
    request: request as BuildRequest,
    db,
    tools: tools as BuildTools,
    signal: new AbortController().signal,
  }
  return build as Build
}

const validate = (build: Build) => validateContext.run(build, {})
const withDockerfile = (content: string) => tar({ name: 'Dockerfile', content })

it('finds the digest and the base images', async () => {
  const build = await buildOf('a1', withDockerfile('FROM python:3.12\n'))
  expect(await validate(build)).toEqual({
    canonicalDigest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    bases: ['python:3.12'],
    finalBase: 'python:3.12',
    points: [],
  })
})

it('writes the line and the rule of a refused Dockerfile into the build log', async () => {
  const build = await buildOf('a2', withDockerfile('FROM scratch\n\nRUN --network=host true\n'))
  await expect(validate(build)).rejects.toMatchObject({
    code: 'policy_reject',
    detail: 'run_network_forbidden;line_3',
  })
  expect(await text(await storage.get(buildLogKey('a2')))).toBe(
    'Dockerfile:3: RUN --network may only be default; the network of a step cannot be changed. Delete the flag. (run_network_forbidden)\n',
  )
})

it('writes which image to write in place of a variable', async () => {
  const build = await buildOf('a4', withDockerfile('ARG V=3.20\nFROM alpine:$V\n'))
  await expect(validate(build)).rejects.toMatchObject({ detail: 'dynamic_from;line_2' })
  expect(await text(await storage.get(buildLogKey('a4')))).toContain('Write alpine:3.20 as the image.')
})

it('names an ignore file that it cannot read', async () => {
  const archive = tar(
    { name: 'Dockerfile', content: 'FROM scratch' },
    { name: '.dockerignore', content: 'a[' },
  )
  const build = await buildOf('a5', archive)
  await expect(validate(build)).rejects.toMatchObject({ detail: 'ignore_file_malformed' })
  expect(await text(await storage.get(buildLogKey('a5')))).toMatch(/^archive, entry \.dockerignore: /)
})

it.each([
  ['x/../../y', 'path_escapes', 'archive, entry x/../../y: Names have no .. in them. (path_escapes)\n'],
  [
    'a\u001b[31m\u202eb',
    'path_control_character',
    'archive, entry a\\u{1b}[31m\\u{202e}b: Names have no control characters. (path_control_character)\n',
  ],
])('refuses an archive with the slug of its rule, and names the entry in the build log', async (...row) => {
  const [name, slug, explanation] = row
  const build = await buildOf(slug, tar({ name: 'Dockerfile', content: 'FROM scratch' }, { name }))
  await expect(validate(build)).rejects.toMatchObject({
    code: 'context_invalid',
    detail: `reserved_path_or_hostile_entry;${slug}`,
  })
  expect(await text(await storage.get(buildLogKey(slug)))).toBe(explanation)
})

it('reports what is wrong with an archive as a whole', async () => {
  const build = await buildOf('a3', tar({ name: 'x' }).subarray(0, 700))
  await expect(validate(build)).rejects.toMatchObject({ detail: 'archive_truncated' })
  expect(await text(await storage.get(buildLogKey('a3')))).toBe(
    'archive: The archive is truncated. (archive_truncated)\n',
  )
})

it.each([
  ['accepted', withDockerfile('FROM scratch')],
  ['refused at its first entry', tar({ name: '../x' }, { name: 'rest', content: 'x'.repeat(100_000) })],
])('uses no result of an archive that differs from the upload, and %s', async (_name, archive) => {
  const build = await buildOf('a4', archive, { digest: zero })
  await expect(validate(build)).rejects.toMatchObject({
    code: 'platform_failed',
    detail: 'stored_context_damaged',
  })
})

it('finds damage in bytes that it accepted before', async () => {
  const archive = withDockerfile('FROM python:3.14\n')
  await validate(await buildOf('a8', archive))
  const build = await buildOf('a9', archive)
  await storage.put('contexts/a9', withDockerfile('FROM python:3.15\n'))
  await expect(validate(build)).rejects.toMatchObject({ detail: 'stored_context_damaged' })
})

it('inspects accepted bytes again only if the owner switched the cache off', async () => {
  const archive = withDockerfile('FROM python:3.13\n')
  const first = await validate(await buildOf('a5', archive))
  const readers = testReaders(log)
  const reading = vi.spyOn(readers, 'inspectContext')
  const second = await validate(await buildOf('a6', archive, { readers }))
  expect(second).toEqual(first)
  expect(reading).not.toHaveBeenCalled()
  await validate(await buildOf('a7', archive, { readers, cache: 'none' }))
  expect(reading).toHaveBeenCalledOnce()
})
