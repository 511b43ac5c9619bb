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
  home = mkdtempSync(join(tmpdir(), 'cli-usage-'))
})
afterEach(async () => {
  await service.close()
  rmSync(home, { recursive: true })
})

const cli = (...args: string[]) =>
  runCli(args, { home, env: { SANDBOX_URL: service.url, SANDBOX_TOKEN: 'jwt' } })

const item = {
  ...{ day: '2026-03-01', kind: 'run', subject_id: 'tsk_1', subject_name: 'Report', count: 12, seconds: 240 },
  ...{ ingress_bytes: 0, egress_bytes: 2048, cost: '0.002400' },
}

test('usage is reported by what was asked for, with names where there are any', async () => {
  service.answers.readUsageReport = () => ({
    json: {
      ...{ from: '2026-03-01', to: '2026-03-31', currency: 'USD', truncated: true },
      items: [item, { ...item, kind: 'build', subject_name: null }],
    },
  })
  const { stdout } = await cli('usage', 'report', '--by', 'day', 'task', '--from', '2026-03-01')
  expect(stdout).toMatch(/^2026-03-01 +Report +runs +12 .* 0[.]002400$/m)
  expect(stdout).toMatch(/^2026-03-01 +tsk_1 +builds /m)
  expect(stdout).toContain('There are more lines')
  const [{ query } = { query: new URLSearchParams() }] = service.requests
  expect([query.getAll('by'), query.get('from'), query.get('to')]).toEqual([
    ['day', 'task'],
    '2026-03-01',
    null,
  ])
})
