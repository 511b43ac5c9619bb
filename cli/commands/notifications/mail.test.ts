import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FakeService, fakeService } from '../../testing/fake-service.ts'
import { runCli } from '../../testing/run-cli.ts'

let service: FakeService
let home: string
let preferences: { is_sent: boolean; address: string | null; muted_events: string[] }

beforeEach(async () => {
  service = await fakeService()
  home = mkdtempSync(join(tmpdir(), 'cli-mail-'))
  preferences = { is_sent: true, address: 'ada@people.test', muted_events: ['build_ready'] }
  service.answers.readMailPreferences = () => ({ json: preferences })
  service.answers.updateMailPreferences = ({ body }) => ({
    json: { ...preferences, ...JSON.parse(body.toString()) },
  })
})
afterEach(async () => {
  await service.close()
  rmSync(home, { recursive: true })
})

const mail = (...args: string[]) =>
  runCli(['mail', ...args], { home, stdin: '', env: { SANDBOX_URL: service.url, SANDBOX_TOKEN: 'jwt' } })

test('shows where e-mails go, and about what none come', async () => {
  expect((await mail()).stdout).toBe('E-mails go to ada@people.test.\nThey are not about build_ready.\n')
  preferences = { is_sent: false, address: null, muted_events: [] }
  expect((await mail()).stdout).toBe('You get no e-mails: the operator has set no address for you.\n')
  preferences = { is_sent: false, address: 'ada@people.test', muted_events: [] }
  expect((await mail()).stdout).toBe('You get no e-mails: the service has no mail server.\n')
  expect(service.requests.every(({ route }) => route === 'readMailPreferences')).toBe(true)
})

test('switches kinds off and on, and keeps the others', async () => {
  const { exitCode, stdout } = await mail('--off', 'run_terminal', 'build_failed', '--on', 'build_ready')
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('not about run_terminal, build_failed')])
  const [sent] = service.requests.filter(({ route }) => route === 'updateMailPreferences')
  expect(JSON.parse(String(sent?.body))).toEqual({ muted_events: ['run_terminal', 'build_failed'] })
})

test('an unknown kind is a wrong command line', async () => {
  expect((await mail('--off', 'everything')).exitCode).toBe(2)
  expect(service.requests).toEqual([])
})
