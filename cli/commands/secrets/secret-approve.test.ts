import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FakeService, fakeService } from '../../testing/fake-service.ts'
import { runCli } from '../../testing/run-cli.ts'

const room = `roo_${'1'.repeat(32)}`
const task = `tsk_${'1'.repeat(32)}`
const page = (items: unknown[]) => ({ items, page_size: 100, next_page_token: null })
const version = {
  id: 'tvr_1',
  version_number: 3,
  canonical_digest: `sha256:${'1'.repeat(64)}`,
  secret_slot_names: ['TOKEN'],
}
const approval = { id: 'sap_1', task_version_id: 'tvr_1', consumer_scope: 'chatroom', consumer_id: room }
const next = { author_id: 'usr_1', until: '2027-01-01T00:00:00.000Z', active: true, end_reason: null }
let service: FakeService
let home: string

beforeEach(async () => {
  service = await fakeService()
  home = mkdtempSync(join(tmpdir(), 'cli-approve-'))
  Object.assign(service.answers, {
    readTask: () => ({ json: { id: task, name: 'report', current_published_version_id: 'tvr_1' } }),
    listTasks: () => ({
      json: page([{ id: task, name: 'report', current_published_version_id: 'tvr_1' }]),
    }),
    readTaskVersion: () => ({ json: version }),
    createSecretApproval: () => ({ json: approval }),
    approveNextVersions: () => ({ json: { ...approval, next_versions: next } }),
    listTaskSecrets: () => ({ json: page([]) }),
  } satisfies FakeService['answers'])
})
afterEach(async () => {
  await service.close()
  rmSync(home, { recursive: true })
})

const secret = (...args: string[]) =>
  runCli(['secret', ...args], { home, env: { SANDBOX_URL: service.url, SANDBOX_TOKEN: 'jwt' } })
const approve = (...args: string[]) => secret('approve', 'report', '--room', room, '--accept-risk', ...args)

test('an exact version is approved by the route of the contract', async () => {
  expect((await approve()).stdout).toBe('Version 3 of report may use these secrets (sap_1).\n')
  expect(service.requests.map(({ route }) => route)).not.toContain('approveNextVersions')
})

test('next versions are approved for a time', async () => {
  expect((await approve('--next-versions', '30d')).stdout).toBe(
    'Version 3 of report may use these secrets, and so may the next versions by usr_1 until 2027-01-01T00:00:00.000Z (sap_1).\n',
  )
  const { body } = service.requests.find(({ route }) => route === 'approveNextVersions') ?? {}
  const { next_versions_until: until, slot_names } = JSON.parse(String(body)) as Record<string, string>
  expect(slot_names).toEqual(['TOKEN'])
  const aheadMs = Date.parse(until ?? '') - Date.now()
  expect(aheadMs / 86_400_000).toBeCloseTo(30, 1)
})

test.each(['0d', '91d', '30', 'x', '-1d'])('%s is no time', async (text) => {
  expect(await approve(`--next-versions=${text}`)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('from 1d to 90d'),
  })
  expect(service.requests).toEqual([])
})

test('a borrower is told what they can approve', async () => {
  service.answers.approveNextVersions = () => ({
    status: 404,
    detail: { code: 'not_found', message: 'Not found.' },
  })
  const { stderr, exitCode } = await approve('--next-versions', '30d')
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('the exact version alone')])
})

test('the list shows what is covered, and why not any more', async () => {
  const items = [
    { ...approval, next_versions: null },
    { ...approval, id: 'sap_2', next_versions: next },
    { ...approval, id: 'sap_3', next_versions: { ...next, active: false, end_reason: 'other_author' } },
  ]
  service.answers.listExtendedSecretApprovals = () => ({ json: page(items) })
  const { stdout } = await secret('list', 'report')
  const shown = stdout.split('\n').flatMap((line) => /^sap_\d.*tvr_1 +(.*?) *$/.exec(line)?.[1] ?? [])
  expect(shown).toEqual(['-', 'by usr_1 until 2027-01-01T00:00:00.000Z', 'ended: other_author'])
})
