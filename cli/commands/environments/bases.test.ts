import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FakeService, fakeService } from '../../testing/fake-service.ts'
import { runCli } from '../../testing/run-cli.ts'

let service: FakeService
let home: string

beforeEach(async () => {
  service = await fakeService()
  home = mkdtempSync(join(tmpdir(), 'cli-bases-'))
})
afterEach(async () => {
  await service.close()
  rmSync(home, { recursive: true })
})

const bases = async (list: object) => {
  service.answers.listBaseImages = () => ({ json: list })
  return await runCli(['bases'], { home, env: { SANDBOX_URL: service.url, SANDBOX_TOKEN: 'jwt' } })
}

const python = {
  ...{ name: 'curated/python:3.13', tag: '3.13', digest: `sha256:${'1'.repeat(64)}`, preset: 'python:3.13' },
  ...{ debian: 'trixie', languages: [{ name: 'python', version: '3.13.5' }], packages: ['python3'] },
  ...{ byte_size: 168_427_520, made_at: '2026-11-24T09:30:00.000Z' },
}
const unknown = { debian: null, languages: [], packages: [], byte_size: null, made_at: null }

test('base images are listed with their languages, and what other names mean', async () => {
  const { stdout } = await bases({
    items: [python, { ...python, ...unknown, name: 'curated/other:1' }],
    registry: 'hub.example.org',
    other_registries: true,
  })
  expect(stdout).toMatch(/^curated\/python:3\.13 +python 3\.13\.5 +trixie +161 MiB +2026-11-24 +python3$/m)
  expect(stdout).toMatch(/^curated\/other:1$/m)
  expect(stdout).toMatch(/without a host are pulled from hub.example.org; .* are pulled from it\.\n$/)
})

test('a service without base images and registries says so', async () => {
  const { stdout } = await bases({ items: [], registry: null, other_registries: false })
  expect(stdout).toBe(
    'The operator has made no base image; FROM scratch always works.\n' +
      'Other names without a host are refused; names with another host are refused.\n',
  )
})
