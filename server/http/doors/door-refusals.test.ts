import type { DoorWithKey } from '@sandbox-jobs/contract/resources/doors/door.ts'
import type { DoorKind } from '@sandbox-jobs/contract/resources/doors/door-kind.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Answer } from '../../../testing/apps/answer.ts'
import { DoorSteps, type PlatformRequest } from '../../../testing/apps/steps/door-steps.ts'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../testing/factories/environment-version.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { newId } from '../../base/ids.ts'
import { hashDoorKey } from '../../doors/catalogue/door-keys.ts'

/* Answers that the platforms' clients get where nothing is executed, and their reports of ended runs. No worker runs here. */

const { db } = await createTestDatabase()
// Hosted: no queue of the host bounds a company before the places of doors do.
const api = new TestApi(db, { deployment: 'hosted' })
const stopped = new TestApi(db, { enabled: false })
const steps = new DoorSteps(api)
let tenant: Tenant
const made: Partial<Record<DoorKind, DoorWithKey>> = {}

beforeEach(async () => {
  tenant = await makeTenant(db)
  const { id } = await makeEnvironmentVersion(db, { companyId: tenant.companyId })
  for (const kind of ['dify', 'piston', 'librechat', 'open_terminal'] as const)
    made[kind] = await steps.create(tenant.roomManager, tenant.roomId, {
      name: kind,
      kind,
      runtimes: [
        { language: 'python', version: '3.12.1', environment_version_id: id },
        { language: 'python', version: '3.9.4', environment_version_id: id },
        { language: 'c', version: '14.2.0', environment_version_id: id },
      ],
    })
})

const keyOf = (kind: DoorKind) => made[kind]?.door_key ?? ''
const send = (kind: DoorKind, { path, ...request }: PlatformRequest, key = keyOf(kind)) =>
  steps.send({ ...request, path: `/doors/${kind}${path}`, headers: { 'x-api-key': key, ...request.headers } })

const difyRun = (body: Record<string, unknown> = {}): PlatformRequest => ({
  path: '/v1/sandbox/run',
  body: { language: 'python3', code: 'print(1)', preload: '', enable_network: true, ...body },
})
const pistonRun = (body: Record<string, unknown> = {}): PlatformRequest => ({
  path: '/api/v2/execute',
  body: { language: 'python', version: '3.x', files: [{ content: 'print(1)' }], ...body },
})
const exec = (body: Record<string, unknown> = {}): PlatformRequest => ({
  path: '/exec',
  body: { lang: 'py', code: 'print(1)', ...body },
})
const runs: Record<DoorKind, PlatformRequest> = {
  dify: difyRun(),
  piston: pistonRun(),
  librechat: exec(),
  open_terminal: { path: '/execute', body: { command: 'true' } },
}
const kinds = Object.keys(runs) as DoorKind[]

/** Ends the run of a request as a worker would record it, and returns what the platform is answered. */
async function ended(
  kind: DoorKind,
  request: PlatformRequest,
  set: Record<string, unknown>,
): Promise<Answer> {
  const answering = send(kind, request)
  for (;;) {
    const { numUpdatedRows } = await db
      .updateTable('runs')
      .set({ terminal_at: new Date(), ...set } as never)
      .where('company_id', '=', tenant.companyId)
      .where('state', '=', 'queued')
      .executeTakeFirst()
    if (numUpdatedRows > 0n) return answering
  }
}
const failed = (error_code: string, more: Record<string, unknown> = {}) => ({
  state: 'customer_failed',
  error_code,
  ...more,
})

const runCount = async () =>
  (await db.selectFrom('runs').select('id').where('company_id', '=', tenant.companyId).execute()).length

describe('credentials', () => {
  it.each(kinds)('of another form, of another door or none get 401 from %s', async (kind) => {
    const other = kinds.find((each) => each !== kind) ?? 'dify'
    for (const key of ['', 'sbd_x', keyOf(other), `sbd_${'a'.repeat(43)}`])
      expect((await send(kind, runs[kind], key)).status).toBe(401)
    expect(await runCount()).toBe(0)
  })

  it('are read from the headers that platforms send, and from the path', async () => {
    const runtimes = { method: 'GET', path: '/doors/piston/api/v2/runtimes' } as const
    const key = keyOf('piston')
    const basic = Buffer.from(`anyone:${key}`).toString('base64')
    for (const authorization of [`Bearer ${key}`, key, `Basic ${basic}`])
      expect((await steps.send({ ...runtimes, headers: { authorization } })).status).toBe(200)
    const path = `/doors/piston/with-key/${key}/api/v2/runtimes`
    expect((await steps.send({ ...runtimes, path })).status).toBe(200)
    expect((await steps.send({ ...runtimes, headers: { authorization: 'Bearer x' } })).status).toBe(401)
  })

  it('of an owner who is disabled or manages the room no more run nothing', async () => {
    await db.deleteFrom('chatroom_members').where('user_id', '=', tenant.roomManager.principalId).execute()
    expect((await send('piston', pistonRun())).status).toBe(404)
    expect(await send('dify', difyRun())).toMatchObject({ status: 200, body: { code: -404 } })
    await db
      .updateTable('users')
      .set({ disabled_at: new Date() })
      .where('id', '=', tenant.roomManager.principalId)
      .execute()
    expect((await send('piston', pistonRun())).status).toBe(401)
    expect(await runCount()).toBe(0)
  })
})

it('the kill switch stops programs, in each form', async () => {
  const off = new DoorSteps(stopped)
  const statuses: Partial<Record<DoorKind, number>> = {}
  for (const kind of kinds) {
    // The other app has a pepper of its own.
    const key_hash = hashDoorKey(stopped.keys.peppers.present(), keyOf(kind))
    await db
      .updateTable('doors')
      .set({ key_hash })
      .where('id', '=', made[kind]?.id ?? '')
      .execute()
    const { path, ...request } = runs[kind]
    const headers = { 'x-api-key': keyOf(kind) }
    statuses[kind] = (await off.send({ ...request, path: `/doors/${kind}${path}`, headers })).status
  }
  expect(statuses).toEqual({ dify: 503, piston: 503, librechat: 503, open_terminal: 503 })
  const read = { method: 'GET', headers: { 'x-api-key': keyOf('dify') } } as const
  for (const path of ['dependencies', 'dependencies/refresh'])
    expect(
      (await off.send({ ...read, path: `/doors/dify/v1/sandbox/${path}?language=python3` })).status,
    ).toBe(503)
  const listed = { method: 'GET', headers: { 'x-api-key': keyOf('piston') } } as const
  expect((await off.send({ ...listed, path: '/doors/piston/api/v2/runtimes' })).status).toBe(200)
  expect(await runCount()).toBe(0)
})

describe('a request to Dify’s door', () => {
  it('is refused as dify-sandbox refuses', async () => {
    const cases: [PlatformRequest, number, unknown][] = [
      [difyRun({ language: 'ruby' }), 400, { code: -400, message: 'unsupported language' }],
      [difyRun({ code: '' }), 200, { code: -422 }],
      [difyRun({ code: 7 }), 200, { code: -422 }],
      [{ path: '/v1/sandbox/dependencies/update', body: { language: 'python3' } }, 200, { code: -400 }],
    ]
    for (const [request, status, body] of cases)
      expect(await send('dify', request)).toMatchObject({ status, body })
    expect(await runCount()).toBe(0)
    const health = await steps.send({ method: 'GET', path: '/doors/dify/health' })
    expect([health.status, health.text]).toEqual([200, '"ok"'])
  })

  it.each([
    ['a time limit', failed('timeout'), 'stopped after 30 seconds'],
    ['an exit code', failed('work_exit_nonzero', { exit_code: 3 }), 'process exited with code 3'],
    [
      'a signal',
      failed('work_exit_nonzero', { exit_code: 139, error_detail: 'signal=11' }),
      'ended by signal 11',
    ],
    ['its memory', failed('out_of_memory'), 'more memory'],
    ['the service', { state: 'platform_failed', error_code: 'host_lost' }, 'could not be run (host_lost)'],
    ['somebody', { state: 'cancelled', error_code: 'cancelled' }, 'was stopped'],
  ])('says in `error` that a program was ended by %s', async (_by, set, error) => {
    const answer = await ended('dify', difyRun(), set)
    expect(answer).toMatchObject({
      status: 200,
      body: {
        code: 0,
        message: 'success',
        data: { stdout: '', stderr: '', error: expect.stringContaining(error) },
      },
    })
  })
})

describe('a request to Piston’s door', () => {
  it('is refused in Piston’s words', async () => {
    const file = { content: 'x' }
    const cases: [Record<string, unknown>, string][] = [
      [{ language: undefined }, 'language is required as a string'],
      [{ version: 3 }, 'version is required as a string'],
      [{ files: undefined }, 'files is required as an array'],
      [{ files: [{}] }, 'files[0].content is required as a string'],
      [{ files: [{ ...file, encoding: 'hex' }] }, 'files must include at least one utf8 encoded file'],
      [{ version: '4.x' }, 'python-4.x runtime is unknown'],
      [{ run_timeout: '1' }, 'If specified, run_timeout must be a number'],
      [{ run_timeout: 30_001 }, 'run_timeout cannot exceed the configured limit of 30000'],
      [{ compile_timeout: -1 }, 'compile_timeout must be non-negative'],
      [{ files: [{ ...file, name: '../x' }] }, 'files[0].name must be a relative path of at most 255 bytes'],
      [
        {
          files: [
            { ...file, name: 'a' },
            { ...file, name: 'a' },
          ],
        },
        'files has a name twice',
      ],
      [{ args: 'x' }, 'args must be an array of at most 256 strings'],
      [{ stdin: 1 }, 'stdin must be a string'],
    ]
    for (const [body, message] of cases)
      expect(await send('piston', pistonRun(body))).toMatchObject({ status: 400, body: { message } })
    expect(await runCount()).toBe(0)
  })

  it('lists the languages', async () => {
    const { body } = await send('piston', { method: 'GET', path: '/api/v2/runtimes' })
    expect(body).toEqual([
      { language: 'python', version: '3.12.1', aliases: ['py', 'py3', 'python3'] },
      { language: 'python', version: '3.9.4', aliases: ['py', 'py3', 'python3'] },
      { language: 'c', version: '14.2.0', aliases: ['gcc'] },
    ])
  })

  it.each([
    ['timeout', failed('timeout'), { code: null, signal: 'SIGKILL', status: 'TO' }],
    ['exit', failed('work_exit_nonzero', { exit_code: 3 }), { code: 3, signal: null, status: 'RE' }],
    [
      'signal',
      failed('work_exit_nonzero', { exit_code: 139, error_detail: 'signal=11' }),
      { code: null, signal: 'SIGSEGV', status: 'SG' },
    ],
    ['memory', failed('out_of_memory'), { code: null, signal: 'SIGKILL', status: 'SG' }],
    ['output', failed('output_too_large', { exit_code: 0 }), { code: null, status: 'OL' }],
    ['service', { state: 'platform_failed', error_code: 'host_lost' }, { code: null, status: 'XX' }],
  ])('reports how a program ended: %s', async (_how, set, run) => {
    const answer = await ended('piston', pistonRun({ language: 'py' }), set)
    expect(answer).toMatchObject({ status: 200, body: { language: 'python', version: '3.12.1', run } })
  })
})

describe('a request to LibreChat’s door', () => {
  it('is refused with a text in `error`', async () => {
    const cases: [PlatformRequest, number][] = [
      [exec({ lang: 'cobol' }), 400],
      [exec({ code: undefined }), 422],
      [exec({ files: [{ id: 'x', name: 'a', session_id: 'y' }] }), 400],
      [
        exec({ files: [{ id: `art_${'0'.repeat(32)}`, name: '../a', session_id: `run_${'0'.repeat(32)}` }] }),
        400,
      ],
      [
        exec({ files: [{ id: `art_${'0'.repeat(32)}`, name: 'a', session_id: `run_${'0'.repeat(32)}` }] }),
        404,
      ],
      [exec({ files: [{ id: `fil_${'0'.repeat(32)}`, name: 'a' }] }), 404],
      [{ path: '/upload', parts: [{ part: 'kind', name: '', content: 'user' }] }, 422],
      [{ path: '/upload', body: {} }, 422],
      [{ method: 'GET', path: '/files/nothing' }, 404],
      [{ method: 'GET', path: `/download/run_${'0'.repeat(32)}/art_${'0'.repeat(32)}` }, 404],
      [{ method: 'GET', path: `/sessions/fil_${'0'.repeat(32)}/objects/fil_${'0'.repeat(32)}` }, 404],
    ]
    for (const [request, status] of cases) {
      const answer = await send('librechat', request)
      expect([request.path, answer.status, typeof answer.body.error]).toEqual([
        request.path,
        status,
        'string',
      ])
    }
    expect(await runCount()).toBe(0)
  })

  it('says in stderr why a program did not end by itself', async () => {
    const answer = await ended('librechat', exec(), failed('timeout'))
    expect(answer).toMatchObject({ status: 200, body: { stdout: '', files: [] } })
    expect((answer.body as { stderr: string }).stderr).toContain('stopped after 30 seconds')
  })
})

it('a company has at most 32 programs that are waited for at once in one process', async () => {
  const busy = Array.from({ length: 40 }, () => send('librechat', exec()))
  const first = await Promise.race(busy)
  expect(first).toMatchObject({ status: 429, body: { error: 'rate_limited', retry_after_seconds: 2 } })
  for (let left = 32; left > 0; ) {
    const { numUpdatedRows } = await db
      .updateTable('runs')
      .set({ state: 'cancelled', terminal_at: new Date(), error_code: 'cancelled' })
      .where('company_id', '=', tenant.companyId)
      .where('state', '=', 'queued')
      .executeTakeFirst()
    left -= Number(numUpdatedRows)
  }
  const statuses = (await Promise.all(busy)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(32)
})

it('LibreChat finds every file of a run that left many', async () => {
  const task = await makeRunnableTask(db, tenant.companyId)
  const of = { chatroom_id: tenant.roomId, api_key_id: made.librechat?.id ?? '' }
  const runId = await makeRun(db, task, of)
  const ids = Array.from({ length: 101 }, () => newId('artifact'))
  const digest = `sha256:${'0'.repeat(64)}`
  const file = { run_id: runId, company_id: tenant.companyId, bundle_offset: 0, byte_size: 0, digest }
  const described = { ...file, path_hash: digest, declared_content_type: 'text/plain' }
  await db
    .insertInto('run_artifacts')
    .values(ids.map((id, at) => ({ ...described, id, relative_path: String(at).padStart(3, '0') })))
    .execute()
  const find = (id: string) => send('librechat', { method: 'GET', path: `/sessions/${runId}/objects/${id}` })
  expect((await find(String(ids.at(-1)))).status).toBe(200)
  expect((await find(newId('artifact'))).status).toBe(404)
})
