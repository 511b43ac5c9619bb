import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FakeService, fakeService } from '../../testing/fake-service.ts'
import { runCli } from '../../testing/run-cli.ts'

const id = `prp_${'1'.repeat(32)}`
const run = `run_${'2'.repeat(32)}`
const proposal = {
  id,
  chatroom_id: `roo_${'3'.repeat(32)}`,
  task_id: `tsk_${'4'.repeat(32)}`,
  task_version_id: `tvr_${'5'.repeat(32)}`,
  state: 'prepared',
  summary: 'Run the task "Report".\nInput: \u001b[2J\u202e{}',
  timeout_seconds: 60,
  created_at: '2026-01-01T00:00:00Z',
  expires_at: '2026-01-01T00:30:00Z',
  ended_at: null,
  run_id: null,
}

let service: FakeService
let home: string

beforeEach(async () => {
  service = await fakeService()
  home = mkdtempSync(join(tmpdir(), 'cli-proposals-'))
  service.answers.listProposals = () => ({
    json: { items: [proposal], page_size: 100, next_page_token: null },
  })
  service.answers.readProposal = () => ({ json: proposal })
  service.answers.confirmProposal = () => ({ json: { ...proposal, state: 'committed', run_id: run } })
  service.answers.rejectProposal = () => ({ json: { ...proposal, state: 'cancelled' } })
})
afterEach(async () => {
  await service.close()
  rmSync(home, { recursive: true })
})

const proposals = (...args: string[]) =>
  runCli(['proposals', ...args], {
    home,
    stdin: '',
    env: { SANDBOX_URL: service.url, SANDBOX_TOKEN: 'jwt' },
  })

test('list names what waits', async () => {
  const { exitCode, stdout } = await proposals('list')
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining(id)])
})

test('show prints the summary with controls spelled out, and decides nothing', async () => {
  const { exitCode, stdout } = await proposals('show', id)
  expect(exitCode).toBe(0)
  expect(stdout).toContain(`${id} waits for your confirmation until`)
  expect(stdout).toContain('Run the task "Report".\nInput: \\x1b[2J\\u202e{}')
  expect(service.requests.map(({ route }) => route)).toEqual(['readProposal'])
})

test('confirm names the run, and reject ends the proposal', async () => {
  expect((await proposals('confirm', id)).stdout).toBe(`${id} is committed. Its run is ${run}.\n`)
  expect((await proposals('reject', id)).stdout).toBe(`${id} is cancelled.\n`)
  expect(service.requests.map(({ route, params }) => [route, params.pid])).toEqual([
    ['confirmProposal', id],
    ['rejectProposal', id],
  ])
})
