import type { DoorWithKey } from '@sandbox-jobs/contract/resources/doors/door.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { DoorSteps, type PlatformRequest } from '../../../../testing/apps/steps/door-steps.ts'
import { TerminalSteps } from '../../../../testing/apps/steps/terminal-steps.ts'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../../testing/factories/environment-version.ts'
import { makeRun, makeRunnableTask } from '../../../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'

/* Answers that Open WebUI gets where nothing is executed. No worker runs here. */

const { db } = await createTestDatabase()
const api = new TestApi(db, { deployment: 'hosted' })
const steps = new DoorSteps(api)
let tenant: Tenant
let door: DoorWithKey

beforeEach(async () => {
  tenant = await makeTenant(db)
  const { id } = await makeEnvironmentVersion(db, { companyId: tenant.companyId })
  door = await steps.create(tenant.roomManager, tenant.roomId, {
    name: 'terminal',
    kind: 'open_terminal',
    runtimes: [{ language: 'bash', environment_version_id: id }],
  })
})

const terminal = new TerminalSteps(steps, () => door)
const execute = (body: Record<string, unknown>, query = '?wait=0', user?: string) =>
  terminal.post<{ id: string }>(`/execute${query}`, body, user)

const rowsOf = (table: 'runs' | 'sessions') =>
  db.selectFrom(table).selectAll().where('company_id', '=', tenant.companyId).orderBy('id').execute()
const end = (id: string, set: Record<string, unknown>) =>
  db
    .updateTable('runs')
    .set({ terminal_at: new Date(), ...set })
    .where('id', '=', id)
    .where('company_id', '=', tenant.companyId)
    .execute()

describe('when the platform connects', () => {
  it('it finds out without a key what kind of server this is', async () => {
    const answers = await Promise.all(
      ['/health', '/api/config', '/api/v1/policies'].map((path) =>
        steps.send({ method: 'GET', path: `/doors/open_terminal${path}` }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404])
    expect(answers[1]?.body).toEqual({ features: { terminal: false, notebooks: false, system: true } })
  })

  it('it makes tools of the operations in the document', async () => {
    interface Parameter {
      name: string
      in: string
      required: boolean
    }
    type Document = {
      paths: Record<string, Record<string, { operationId: string; parameters: Parameter[] }>>
    }
    const { body } = await terminal.get<Document>('/openapi.json')
    const tools = Object.values(body.paths).flatMap((of) => Object.values(of))
    expect(tools.map(({ operationId }) => operationId).sort()).toEqual(
      [
        'run_command',
        'list_processes',
        'get_process_status',
        'kill_process',
        'list_files',
        'read_file',
        'display_file',
        'write_file',
        'replace_file_content',
        'glob_search',
        'grep_search',
      ].sort(),
    )
    const status = body.paths['/execute/{process_id}/status']?.get?.parameters
    expect(status?.map(({ name, in: place, required }) => [name, place, required])).toEqual([
      ['process_id', 'path', true],
      ['wait', 'query', false],
      ['offset', 'query', false],
      ['tail', 'query', false],
    ])
  })

  it('its models are offered values without the bounds of requests', async () => {
    const { body, text } = await terminal.get<{ paths: Record<string, Record<string, unknown>> }>(
      '/openapi.json',
    )
    expect(text).not.toMatch(/"(pattern|patternProperties|maxLength|minLength|maxItems|maximum)":/)
    expect(body.paths['/execute']?.post).toMatchObject({
      operationId: 'run_command',
      requestBody: {
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['command'],
              properties: {
                command: { type: 'string', description: expect.any(String) },
                cwd: { anyOf: [{ type: 'string' }, { type: 'null' }] },
                env: {
                  anyOf: [{ type: 'object', additionalProperties: { type: 'string' } }, { type: 'null' }],
                },
              },
            },
          },
        },
      },
    })
  })

  it('its models read what a command may do', async () => {
    const { body } = await terminal.get<{ prompt: string }>('/system')
    expect(body.prompt).toContain('at most 30 seconds')
    expect(body.prompt).toContain('no network')
    expect((await terminal.get('/ports')).body).toEqual({ ports: [] })
  })

  it('there is no terminal to type into, no notebook and no port', async () => {
    for (const path of ['/api/terminals', '/notebooks', '/proxy/8000/'])
      expect(await terminal.post(path, {})).toMatchObject({ status: 404, body: { detail: 'Not Found' } })
  })
})

describe('a command', () => {
  it('is a run with the session of its user, and goes on after the answer', async () => {
    const started = await execute({ command: 'sleep 1', wait: 0, cwd: null, env: { A: '1' } })
    expect(started).toMatchObject({
      status: 200,
      body: { command: 'sleep 1', status: 'running', exit_code: null, output: [], next_offset: 0 },
    })
    const again = await execute({ command: 'true' })
    const [session] = await rowsOf('sessions')
    expect(session).toMatchObject({ person: 'ada', api_key_id: door.id, name: 'Open Terminal: ada' })
    const runs = await rowsOf('runs')
    expect(runs.map(({ session_id, waits_for_session: waits }) => [session_id, waits])).toEqual([
      [session?.id, false],
      [session?.id, true],
    ])
    const list = await terminal.get<{ id: string; command: string }[]>('/execute')
    expect(list.body.map(({ id, command }) => [id, command])).toEqual([
      [again.body.id, 'true'],
      [started.body.id, 'sleep 1'],
    ])
  })

  it.each([
    ['an exit code', { state: 'customer_failed', error_code: 'work_exit_nonzero', exit_code: 3 }, 'done', 3],
    [
      'a signal',
      {
        state: 'customer_failed',
        error_code: 'work_exit_nonzero',
        exit_code: 139,
        error_detail: 'signal=11',
      },
      'done',
      -11,
    ],
    ['its deadline', { state: 'customer_failed', error_code: 'timeout' }, 'done', -9],
    ['somebody', { state: 'cancelled', error_code: 'cancelled' }, 'killed', null],
    ['the service', { state: 'platform_failed', error_code: 'host_lost' }, 'done', null],
  ])('that was ended by %s is reported so', async (_by, set, status, exit_code) => {
    const { id } = (await execute({ command: 'x' })).body
    await end(id, set)
    const answer = await terminal.get<{ output: { data: string }[] }>(`/execute/${id}/status?wait=null`)
    expect(answer.body).toMatchObject({ id, command: 'x', status, exit_code, log_path: null })
    const says =
      set.error_code === 'work_exit_nonzero' ? [] : [expect.stringMatching(/^\[The program .*\]\n$/)]
    expect(answer.body.output.map(({ data }) => data)).toEqual(says)
  })

  it('is found and killed by its own user alone', async () => {
    const { id } = (await execute({ command: 'sleep 9' })).body
    for (const user of ['bob', '']) {
      expect((await terminal.get(`/execute/${id}/status`, user)).status).toBe(404)
      expect((await terminal.delete(`/execute/${id}`, user)).status).toBe(404)
      expect((await terminal.get('/execute', user)).body).toEqual([])
    }
    const killed = await terminal.delete(`/execute/${id}?force=True`)
    expect(killed).toMatchObject({ status: 200, body: { status: 'killed' } })
    expect((await terminal.get(`/execute/${id}/status`)).body).toMatchObject({
      status: 'killed',
      exit_code: null,
    })
  })

  it('is what came by the door, not what its owner submits with the session of a user', async () => {
    const { id } = (await execute({ command: 'true' })).body
    const [session] = await rowsOf('sessions')
    const task = await makeRunnableTask(db, tenant.companyId)
    const of = { chatroom_id: tenant.roomId, session_id: String(session?.id), waits_for_session: true }
    const other = await makeRun(db, task, of, Buffer.from('null'))
    const { body } = await terminal.get<{ id: string }[]>('/execute')
    expect(body.map((process) => process.id)).toEqual([id])
    expect((await terminal.get(`/execute/${other}/status?wait=0`)).status).toBe(404)
  })

  it('reads no input', async () => {
    const { id } = (await execute({ command: 'cat' })).body
    const typed = () => terminal.post(`/execute/${id}/input`, { input: 'y\n' })
    expect(await typed()).toMatchObject({ status: 400, body: { detail: 'Process stdin is closed' } })
    await end(id, { state: 'completed' })
    expect(await typed()).toMatchObject({ status: 400, body: { detail: 'Process has already exited' } })
  })

  it('is refused with a text in `detail`, and nothing is kept of it', async () => {
    const cases: [PlatformRequest, number, string | undefined][] = [
      [{ path: '/execute', body: {} }, 422, 'ada'],
      [{ path: '/execute', body: { command: '' } }, 422, 'ada'],
      [{ path: '/execute', body: { command: 'a\u0000b' } }, 422, 'ada'],
      [{ path: '/execute', body: { command: 'x'.repeat(65_537) } }, 422, 'ada'],
      [{ path: '/execute', body: { command: 'true', cwd: 'a\u0000' } }, 422, 'ada'],
      [{ path: '/execute', body: { command: 'true', env: { '1 A': 'x' } } }, 422, 'ada'],
      [{ path: '/execute', body: { command: 'true', env: 7 } }, 422, 'ada'],
      [{ path: '/execute?wait=301', body: { command: 'true' } }, 422, 'ada'],
      [{ path: '/execute?tail=0', body: { command: 'true' } }, 422, 'ada'],
      [{ path: '/execute', body: { command: 'true' } }, 400, 'a b'],
      [{ path: '/execute', body: { command: 'true' } }, 400, 'ü'],
      [{ path: '/execute', body: { command: 'true' } }, 400, 'u'.repeat(129)],
      [{ method: 'GET', path: '/execute/x/status' }, 404, 'ada'],
      [{ method: 'GET', path: `/execute/run_${'0'.repeat(32)}/status` }, 404, 'ada'],
    ]
    for (const [request, status, user] of cases) {
      const answer = await terminal.send(request, user)
      expect([request, answer.status, typeof answer.body.detail]).toEqual([request, status, 'string'])
    }
    expect(await rowsOf('runs')).toEqual([])
  })

  it('waits behind at most sixteen others of its user', async () => {
    const statuses: number[] = []
    for (let sent = 0; sent < 18; sent += 1)
      statuses.push((await execute({ command: 'true' }, '?wait=0', 'busy')).status)
    expect(statuses).toEqual([...Array.from({ length: 17 }, () => 200), 429])
    expect((await execute({ command: 'true' }, '?wait=0', 'other')).status).toBe(200)
  })

  it('is waited for by at most 32 requests of a company in one process, and killed all the same', async () => {
    const { id } = (await execute({ command: 'sleep 60' })).body
    const waiting = Array.from({ length: 40 }, () => terminal.get(`/execute/${id}/status?wait=60`))
    expect(await Promise.race(waiting)).toMatchObject({ status: 429, body: { detail: expect.any(String) } })
    expect((await execute({ command: 'true' }, '?wait=1')).status).toBe(429)
    expect(await rowsOf('runs')).toHaveLength(1)
    expect((await terminal.delete(`/execute/${id}`)).status).toBe(200)
    const statuses = (await Promise.all(waiting)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(32)
  })

  it('is cancelled when its client hangs up before it has the id', async () => {
    const url = await api.app.listen({ host: '127.0.0.1', port: 0 })
    const hangUp = new AbortController()
    const request = fetch(`${url}/doors/open_terminal/execute?wait=60`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${door.door_key}` },
      body: JSON.stringify({ command: 'sleep 60' }),
      signal: hangUp.signal,
    })
    const states = async () => (await rowsOf('runs')).map(({ state }) => state)
    await expect.poll(states).toEqual(['queued'])
    hangUp.abort()
    await expect(request).rejects.toThrow()
    await expect.poll(states).toEqual(['cancelled'])
  })
})

it('two first requests of a user make one session, and one whose time is over is replaced', async () => {
  await Promise.all([execute({ command: '1' }), execute({ command: '2' })])
  const [session, ...others] = await rowsOf('sessions')
  expect(others).toEqual([])
  for (const { id } of await rowsOf('runs')) await end(id, { state: 'completed' })
  await db
    .updateTable('sessions')
    .set({ expires_at: new Date(0), holder_run_id: null })
    .where('company_id', '=', tenant.companyId)
    .execute()
  expect((await terminal.get('/execute')).body).toEqual([])
  expect((await execute({ command: '3' })).status).toBe(200)
  const [replaced, ...more] = await rowsOf('sessions')
  expect([replaced?.id === session?.id, more]).toEqual([false, []])
})
