import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FakeService, fakeService } from '../../testing/fake-service.ts'
import { runCli } from '../../testing/run-cli.ts'

const room = `roo_${'1'.repeat(32)}`
const task = { task_id: `tsk_${'2'.repeat(32)}`, task_name: 'Report', input_schema: null }
const schedule = {
  id: `sch_${'3'.repeat(32)}`,
  chatroom_id: room,
  name: 'Daily',
  task_id: task.task_id,
  task_name: task.task_name,
  cron: '30 7 * * mon-fri',
  time_zone: 'Europe/Berlin',
  timeout_seconds: null,
  missed: 'skip',
  run_as: `usr_${'4'.repeat(32)}`,
  paused_because: null,
  paused_at: null,
  next_at: ['2026-12-01T06:30:00.000Z'],
  last: null,
  created_at: '2026-11-30T09:00:00.000Z',
}
const preview = {
  next_at: schedule.next_at,
  ticks_30_days: 22,
  run: {
    currency: 'USD',
    refusals: [{ code: 'schedule_needs_confirmation', message: 'It needs a person.' }],
  },
  hold_30_days: '0.068200',
  typical_cost_30_days: null,
}
const paused = { ...schedule, paused_because: 'by_person', paused_at: schedule.created_at, next_at: [] }
const times = ['--cron', schedule.cron, '--zone', schedule.time_zone]
let service: FakeService
let home: string

beforeEach(async () => {
  service = await fakeService()
  home = mkdtempSync(join(tmpdir(), 'cli-schedules-'))
  const page = (items: unknown[]) => ({ json: { items, page_size: 100, next_page_token: null } })
  service.answers.readMenu = () => page([task])
  service.answers.listSchedules = () => page([schedule])
  service.answers.createSchedule = () => ({ json: schedule })
  service.answers.updateSchedule = ({ body }) => ({
    json: JSON.parse(body.toString()).enabled === false ? paused : schedule,
  })
  service.answers.deleteSchedule = () => ({ json: schedule })
  service.answers.listScheduleTicks = () =>
    page([
      { due_at: '2026-11-30T06:30:00.000Z', run_id: null, skipped_because: 'missed', handled_at: '' },
      { due_at: '2026-11-27T06:30:00.000Z', run_id: 'run_1', skipped_because: null, handled_at: '' },
    ])
})
afterEach(async () => {
  await service.close()
  rmSync(home, { recursive: true })
})

const schedules = (...args: string[]) =>
  runCli(['schedules', ...args, '--room', room], {
    home,
    stdin: '',
    env: { SANDBOX_URL: service.url, SANDBOX_TOKEN: 'jwt' },
  })
const sent = (route: string) => {
  const request = service.requests.find((each) => each.route === route)
  return JSON.parse(String(request?.body))
}

test('add sends the task of the menu, the times and the input as it was written', async () => {
  const made = await schedules('add', 'Report', ...times, '--input', '{"n": 1.0}', '--missed', 'once')
  expect(made).toMatchObject({
    exitCode: 0,
    stdout: `${schedule.id} runs next at 2026-12-01T06:30:00.000Z.\n`,
  })
  expect(sent('createSchedule')).toEqual({
    name: 'Report',
    task_id: task.task_id,
    cron: schedule.cron,
    time_zone: schedule.time_zone,
    input: { n: 1 },
    missed: 'once',
  })
  const request = service.requests.find(({ route }) => route === 'createSchedule')
  expect(String(request?.body)).toContain('"input":{"n": 1.0}')
})

test('preview shows ticks, price and refusals, and makes nothing', async () => {
  service.answers.previewSchedule = () => ({ json: preview })
  const { stdout } = await schedules('preview', 'Report', ...times)
  expect(stdout).toBe(
    [
      'next: 2026-12-01T06:30:00.000Z',
      'runs in 30 days: 22',
      'price of 30 days: at most 0.068200 USD',
      'refused: It needs a person. (schedule_needs_confirmation)',
      '',
    ].join('\n'),
  )
  expect(service.requests.map(({ route }) => route)).not.toContain('createSchedule')
})

test('change sends what is named, and sets fields in the stored input as it was written', async () => {
  service.answers.readScheduleInput = () => ({ bytes: Buffer.from('{"n": 12345678901234567890}') })
  const changed = await schedules('change', 'Daily', '--cron', '5 8 * * *', '--task-timeout', '--set', 'm=2')
  expect(changed.stdout).toBe(`${schedule.id} runs next at 2026-12-01T06:30:00.000Z.\n`)
  const request = service.requests.find(({ route }) => route === 'updateSchedule')
  expect(String(request?.body)).toBe(
    '{"cron":"5 8 * * *","timeout_seconds":null,"input":{"n": 12345678901234567890,"m":2}}',
  )
})

test('change with --dry-run shows the ticks and the price of the changed schedule, and changes nothing', async () => {
  service.answers.previewSchedule = () => ({ json: preview })
  const shown = await schedules('change', 'Daily', '--zone', 'UTC', '--timeout', '60', '--dry-run')
  expect(shown.stdout).toContain('runs in 30 days: 22')
  const [asked] = service.requests.filter(({ route }) => route === 'previewSchedule')
  expect(Object.fromEntries(asked?.query ?? [])).toEqual({
    ...{ task_id: task.task_id, cron: schedule.cron, time_zone: 'UTC', timeout_seconds: '60' },
  })
  expect(service.requests.map(({ route }) => route)).not.toContain('updateSchedule')
})

test('list, ticks, pause, resume and remove find a schedule by its name', async () => {
  expect((await schedules('list')).stdout).toContain('30 7 * * mon-fri Europe/Berlin  Report  Daily')
  expect((await schedules('ticks', 'Daily')).stdout).toMatch(/- missed\n.*run_1\n$/)
  expect((await schedules('pause', 'Daily')).stdout).toBe(`${schedule.id} is paused.\n`)
  expect(sent('updateSchedule')).toEqual({ enabled: false })
  expect((await schedules('resume', 'Daily')).stdout).toContain('runs next at 2026-12-01')
  expect((await schedules('remove', 'Daily')).stdout).toBe(`${schedule.id} is removed.\n`)
  const unknown = await schedules('pause', 'Dialy')
  expect(unknown.exitCode).not.toBe(0)
  expect(unknown.stderr).toContain('Did you mean Daily?')
})
