import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FakeService, fakeService } from '../../testing/fake-service.ts'
import { runCli } from '../../testing/run-cli.ts'

const wid = `whk_${'1'.repeat(32)}`
const did = `whd_${'2'.repeat(32)}`
const webhook = {
  id: wid,
  url: 'https://example.org/hook',
  description: '',
  events: [],
  paused_at: null,
  paused_because: null,
  failing_since: null,
  dropped: 0,
  created_at: '2026-01-01T00:00:00.000Z',
}
const delivery = {
  id: did,
  event_id: `evt_${'3'.repeat(32)}`,
  event: 'run_terminal',
  state: 'waiting',
  attempts: 2,
  last_attempt_at: '2026-01-01T00:00:00.000Z',
  last_status: 500,
  last_error: 'status',
  next_attempt_at: '2026-01-01T00:00:30.000Z',
  created_at: '2026-01-01T00:00:00.000Z',
}
const withSecret = { ...webhook, secret: 'whsec_AAAA' }
let service: FakeService
let home: string

beforeEach(async () => {
  service = await fakeService()
  home = mkdtempSync(join(tmpdir(), 'cli-webhooks-'))
  service.answers.listWebhooks = () => ({ json: { items: [webhook], page_size: 100, next_page_token: null } })
  service.answers.createWebhook = () => ({ json: withSecret })
  service.answers.rotateWebhookSecret = () => ({ json: withSecret })
  service.answers.updateWebhook = ({ body }) => {
    const { paused } = JSON.parse(body.toString()) as { paused: boolean }
    return { json: { ...webhook, paused_because: paused ? 'manager' : null } }
  }
  service.answers.deleteWebhook = () => ({ json: webhook })
  service.answers.listWebhookDeliveries = () => ({
    json: { items: [delivery], page_size: 20, next_page_token: null },
  })
  service.answers.redeliver = () => ({ json: delivery })
  service.answers.testWebhook = () => ({ json: { ...delivery, event: 'test' } })
})
afterEach(async () => {
  await service.close()
  rmSync(home, { recursive: true })
})

const webhooks = (...args: string[]) =>
  runCli(['webhook', ...args], { home, stdin: '', env: { SANDBOX_URL: service.url, SANDBOX_TOKEN: 'jwt' } })

test('add and rotate print only the secret on standard output', async () => {
  expect((await webhooks('add', webhook.url, '--event', 'run_terminal')).stdout).toBe('whsec_AAAA\n')
  expect(JSON.parse(String(service.requests[0]?.body))).toEqual({
    url: webhook.url,
    events: ['run_terminal'],
  })
  expect((await webhooks('rotate', wid)).stdout).toBe('whsec_AAAA\n')
  expect((await webhooks('add', webhook.url, '--event', 'unknown')).exitCode).toBe(2)
})

test('list, pause, resume and remove', async () => {
  expect((await webhooks('list')).stdout).toContain(webhook.url)
  expect((await webhooks('pause', wid)).stdout).toBe(`${wid} is paused (manager).\n`)
  expect((await webhooks('resume', wid)).stdout).toBe(`${wid} is active.\n`)
  expect((await webhooks('remove', wid)).stdout).toBe(`${wid} is removed.\n`)
})

test('deliveries, one again, and a test', async () => {
  expect((await webhooks('test', wid)).stdout).toBe(`${did} is waiting.\n`)
  expect((await webhooks('deliveries', wid)).stdout).toMatch(/run_terminal +waiting +2 +status/)
  expect((await webhooks('redeliver', wid, did)).stdout).toBe(`${did} is waiting.\n`)
})
