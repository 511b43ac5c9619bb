import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, expect, it } from 'vitest'
import { createLog } from '../../base/logging.ts'
import { DiskStorage } from '../../storage/disk.ts'
import { tar } from '../archive/archive-fixtures.ts'
import { buildLogKey } from '../build-log-key.ts'
import { ArchiveReaders } from '../reader/archive-readers.ts'
import { contextValidator } from './context-validator.ts'
import type { Build, BuildOrder, BuildTools } from './step.ts'

const folder = mkdtempSync(join(tmpdir(), 'sandbox-test-validator-'))
const storage = new DiskStorage(folder)
const log = createLog('test', 'silent')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function buildOf(attemptId: string, archive: Buffer, digest?: string): Promise<Build> {
  const key = `contexts/${attemptId}`
  await storage.put(key, archive)
  const stored = `sha256:${createHash('sha256').update(archive).digest('hex')}`
  const tools: Partial<BuildTools> = { storage, readers: new ArchiveReaders(log), log }
  const context = { key, format: 'tar', byteSize: archive.length, digest: digest ?? stored } as const
  const order: Partial<BuildOrder> = { attemptId, context }
  const build: Partial<Build> = {
    order: order as BuildOrder,
    findings: {},
    tools: tools as BuildTools,
    signal: new AbortController().signal,
  }
  return build as Build
}

const withDockerfile = (content: string) => tar({ name: 'Dockerfile', content })

it('finds the digest and the base images', async () => {
  const build = await buildOf('a1', withDockerfile('FROM python:3.12\n'))
  await contextValidator.run(build)
  expect(build.findings).toEqual({
    canonicalDigest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    bases: ['python:3.12'],
  })
})

it('tells the author of a refused Dockerfile the line and what is wanted there, in the build log', async () => {
  const build = await buildOf('a2', withDockerfile('FROM scratch\n\nRUN --network=host true\n'))
  await expect(contextValidator.run(build)).rejects.toMatchObject({
    code: 'policy_reject',
    detail: 'run_network_forbidden;line_3',
  })
  expect(await text(await storage.get(buildLogKey('a2')))).toBe(
    'Dockerfile:3: RUN --network may only be none or default. (run_network_forbidden)\n',
  )
})

it('refuses an archive with the slug of its rule', async () => {
  const build = await buildOf('a3', tar({ name: '../x' }))
  await expect(contextValidator.run(build)).rejects.toMatchObject({
    code: 'context_invalid',
    detail: 'reserved_path_or_hostile_entry;path_escapes',
  })
})

it('does not read an archive that is not what was uploaded', async () => {
  const build = await buildOf('a4', withDockerfile('FROM scratch'), `sha256:${'0'.repeat(64)}`)
  await expect(contextValidator.run(build)).rejects.toMatchObject({
    code: 'platform_failed',
    detail: 'stored_context_damaged',
  })
})
