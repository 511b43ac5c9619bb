import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FakeService, fakeService } from '../../testing/fake-service.ts'
import { runCli } from '../../testing/run-cli.ts'

const room = `roo_${'1'.repeat(32)}`
const run = `run_${'2'.repeat(32)}`
const linkOf = (id: string) => ({
  id,
  run_id: run,
  purpose: 'share',
  object_kind: 'run',
  artifact_id: null,
  url: `http://service/public/sandbox/share/${id}`,
  expires_at: '2026-01-01T00:00:00Z',
})

let service: FakeService
let home: string

beforeEach(async () => {
  service = await fakeService()
  home = mkdtempSync(join(tmpdir(), 'cli-links-'))
  const items = [linkOf('sln_1'), linkOf('sln_2')]
  service.answers.listRunLinks = () => ({ json: { items, page_size: 100, next_page_token: null } })
  service.answers.revokeRunLink = ({ params }) => ({ json: linkOf(params.lid ?? '') })
})
afterEach(async () => {
  await service.close()
  rmSync(home, { recursive: true })
})

const links = (...args: string[]) =>
  runCli(['links', run, '--room', room, ...args], {
    home,
    stdin: '',
    env: { SANDBOX_URL: service.url, SANDBOX_TOKEN: 'jwt' },
  })
const revoked = () =>
  service.requests.filter(({ route }) => route === 'revokeRunLink').map(({ params }) => params.lid)

test('--list shows live links and creates none', async () => {
  const { exitCode, stdout } = await links('--list')
  expect(exitCode).toBe(0)
  expect(stdout).toContain('http://service/public/sandbox/share/sln_1')
  expect(service.requests.map(({ route }) => route)).toEqual(['listRunLinks'])
})

test('--revoke ends one link by its id', async () => {
  expect(await links('--revoke', 'sln_2')).toMatchObject({ exitCode: 0, stdout: 'revoked 1 link\n' })
  expect(revoked()).toEqual(['sln_2'])
})

test('--revoke all ends every live link', async () => {
  expect(await links('--revoke', 'all')).toMatchObject({ exitCode: 0, stdout: 'revoked 2 links\n' })
  expect(revoked()).toEqual(['sln_1', 'sln_2'])
})

test('--revoke of an id that is no live link ends nothing', async () => {
  expect((await links('--revoke', 'sln_3')).exitCode).toBe(1)
  expect(revoked()).toEqual([])
})

test('--share prints the address of a page that expires', async () => {
  service.answers.createSignedLink = () => ({ json: linkOf('sln_3') })
  const { stdout } = await links('--share', '--expires', '3600')
  expect(stdout).toBe('http://service/public/sandbox/share/sln_3\n')
  expect(JSON.parse(String(service.requests[0]?.body))).toEqual({
    purpose: 'share',
    expires_in_seconds: 3600,
  })
})

test('--expires alone never creates a permanent link', async () => {
  service.answers.createSignedLink = () => ({ json: linkOf('sln_3') })
  expect(await links('--expires', '3600')).toMatchObject({ exitCode: 0 })
  expect(service.requests.map(({ route }) => route)).toEqual(['createSignedLink'])
  expect((await links('--list', '--expires', '3600')).exitCode).toBe(2)
})
