import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FakeService, fakeService } from '../../testing/fake-service.ts'
import { checkoutCommand, runCli } from '../../testing/run-cli.ts'

const room = `roo_${'1'.repeat(32)}`
const run = `run_${'2'.repeat(32)}`

let service: FakeService
let home: string

beforeEach(async () => {
  service = await fakeService()
  home = mkdtempSync(join(tmpdir(), 'cli-run-'))
  const item = { task_id: 'tsk_1', task_name: 'report', task_version_id: 'tvr_1' }
  service.answers.readMenu = () => ({ json: page([item]) })
  service.answers.submitRun = () => ({ json: runOf({ status: 'queued', terminal_at: null }) })
  service.answers.readRunRemarks = () => ({ json: { run_id: run, remarks: [] } })
  service.answers.readRunContent = () => ({ json: { has_output: true, has_log: true } })
  service.answers.readRunOutput = () => ({ bytes: '{"total":1}\n' })
})
afterEach(async () => {
  await service.close()
  rmSync(home, { recursive: true })
})

const page = (items: unknown[]) => ({ items, page_size: 100, next_page_token: null })

const runOf = (fields: object) => ({
  id: run,
  chatroom_id: room,
  status: 'completed',
  error_code: '',
  error_detail: '',
  exit_code: 0,
  wait_reason: '',
  next_action: '',
  queue_position: null,
  eta_seconds: null,
  failure_hint: '',
  terminal_at: '2026-01-01T00:00:00Z',
  ...fields,
})

const cli = (args: string[], env: Record<string, string> = {}, stdin = '{"rows":[]}') =>
  runCli(args, { home, stdin, env: { SANDBOX_URL: service.url, SANDBOX_TOKEN: 'jwt', ...env } })

const watched = (ended: object) => {
  service.answers.readRun = () => ({ json: runOf(ended) })
  return cli(['run', 'report', '--room', room, '--input', '-', '--watch'])
}

test('a watched run prints its output alone on standard output and ends with 0', async () => {
  const result = await watched({})
  expect(result).toMatchObject({ exitCode: 0, stdout: '{"total":1}\n' })
  expect(result.stderr).toContain('completed')
  const submitted = service.requests.find(({ route }) => route === 'submitRun')
  expect(JSON.parse(String(submitted?.body))).toEqual({ task_version_id: 'tvr_1', input: { rows: [] } })
  expect(submitted?.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/)
})

test('the output is read with the credentials of the session, and no public link is made', async () => {
  await watched({})
  const routes = service.requests.map(({ route }) => route)
  expect(service.requests[routes.indexOf('readRunOutput')]?.headers.authorization).toBe('Bearer jwt')
  expect(routes.filter((route) => route.endsWith('Link') || route === 'downloadByToken')).toEqual([])
})

test("the job's exit code is the exit code, with the hint on standard error", async () => {
  const ended = {
    status: 'customer_failed',
    error_code: 'work_exit_nonzero',
    exit_code: 3,
    failure_hint: 'Read the end of the log.\u001b[31m',
  }
  const result = await watched(ended)
  expect(result.exitCode).toBe(3)
  expect(result.stderr).toContain('exit code 3 (work_exit_nonzero)')
  expect(result.stderr).toContain('Read the end of the log.\\x1b[31m')
})

test('a run that ran out of time ends with 124, one that was cancelled with 125', async () => {
  const timeout = { status: 'customer_failed', error_code: 'timeout', exit_code: null }
  expect((await watched(timeout)).exitCode).toBe(124)
  expect((await watched({ status: 'cancelled', error_code: 'cancelled', exit_code: null })).exitCode).toBe(
    125,
  )
})

test('a watched run that is refused exits with 125 and lists the problems', async () => {
  const errors = [{ type: 'minItems', loc: ['body', 'input', 'rows'], msg: 'input.rows has too few' }]
  const example = { rows: [{ note: 'x\u001b[31m' }] }
  const detail = { code: 'input_schema_violation', message: 'The input does not match.', errors, example }
  service.answers.submitRun = () => ({ status: 422, detail })
  const result = await watched({})
  expect(result.exitCode).toBe(125)
  expect(result.stderr).toBe(
    'error: The input does not match. (input_schema_violation)\n  input.rows has too few\n  for example: {"rows":[{"note":"x\\u001b[31m"}]}\nhint:  Correct the problems listed above.\n',
  )
})

test('a run that wrote no output says so, on standard error or as an event', async () => {
  const message = 'The run wrote no output.\u001b[31m'
  const remark = { code: 'no_output', rule: '', path: null, message }
  service.answers.readRunRemarks = () => ({ json: { run_id: run, remarks: [remark] } })
  service.answers.readRunContent = () => ({ json: { has_output: false, has_log: true } })
  const result = await watched({})
  expect(result).toMatchObject({ exitCode: 0, stdout: '' })
  expect(result.stderr).toContain('The run wrote no output.\\x1b[31m\n')
  const asJson = await cli(['run', 'report', '--room', room, '--watch', '--json'])
  expect(JSON.parse(asJson.stdout.trimEnd().split('\n').at(-1) ?? '')).toEqual({ event: 'remark', remark })
})

test('with --json every line is a document, and so is the error', async () => {
  service.answers.readRun = () => ({ json: runOf({ status: 'customer_failed', error_code: 'timeout' }) })
  const result = await cli(['run', 'report', '--room', room, '--input', '-', '--watch', '--json'])
  const events = result.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object)
  expect(events).toMatchObject([
    { event: 'run', run: { id: run } },
    { run_id: run, output: '{"total":1}\n' },
  ])
  expect(JSON.parse(result.stderr)).toMatchObject({ error: { code: 'timeout', exit_code: 124 } })
})

test('the room of a run is remembered, so that its log needs no room', async () => {
  await cli(['run', 'report', '--room', room, '--input', '-'])
  service.answers.readRunLog = () => ({ bytes: 'line\n' })
  expect(await cli(['logs', run])).toEqual({ exitCode: 0, stdout: 'line\n', stderr: '' })
  const other = await cli(['logs', `run_${'3'.repeat(32)}`])
  expect(other).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--room ROOM') })
})

test('a mistyped task name gets suggestions from the menu', async () => {
  const result = await cli(['run', 'reprot', '--room', room, '--input', '-'])
  expect(result).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('Did you mean report?') })
})

test('invalid or too large JSON input is refused locally', async () => {
  const args = ['run', 'report', '--room', room, '--input', '-']
  expect(await cli(args, {}, '{"a":')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('not JSON'),
  })
  const large = `"${'x'.repeat(1024 * 1024)}"`
  expect((await cli(args, {}, large)).stderr).toContain('at most 1 MiB')
  expect(service.requests).toEqual([])
})

test('without a login, with a login that has ended and without a service the hint says what to do', async () => {
  const args = ['runs', '--room', room]
  const nobody = await cli(args, { SANDBOX_TOKEN: '' })
  expect(nobody).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('Run sandbox login') })
  service.answers.listVisibleRuns = () => ({ status: 418, detail: 'Could not validate credentials' })
  expect((await cli(args)).stderr).toContain('Log in with sandbox login')
  const nowhere = await cli(args, { SANDBOX_URL: 'http://127.0.0.1:9' })
  expect(nowhere.stderr).toMatch(
    /No service answers at http:\/\/127\.0\.0\.1:9.*\nhint: {2}Start it with sandbox up/,
  )
})

test('a login is kept for the service it was made at', async () => {
  service.answers.createToken = () => ({
    json: { access_token: 'fresh', token_type: 'bearer', expires_in: 60 },
  })
  service.answers.listVisibleRuns = () => ({ json: page([]) })
  const login = await cli(['login', '--user', 'ada'], {}, 'pass word\n')
  expect(login).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('as ada until') })
  expect(String(service.requests[0]?.body)).toBe('username=ada&password=pass+word')
  expect(JSON.parse(readFileSync(join(home, 'credentials.json'), 'utf8'))).toMatchObject({ url: service.url })
  await cli(['runs', '--room', room], { SANDBOX_TOKEN: '', SANDBOX_URL: '' })
  expect(service.requests.at(-1)?.headers.authorization).toBe('Bearer fresh')
})

test('a wrong password is reported as such', async () => {
  service.answers.createToken = () => ({ status: 418, detail: 'Could not validate credentials' })
  const result = await cli(['login', '--user', 'ada'], { SANDBOX_PASSWORD: 'wrong' })
  expect(result).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('Login name or password is wrong'),
  })
})

test('an invalid command line exits with 2', async () => {
  writeFileSync(join(home, 'input.json'), '1')
  for (const args of [
    ['run', '--room', room, '--input', 'input.json'],
    ['run', 'report', '--room', room, '--input', 'input.json', '--timeout', '0'],
    ['runs', '--room', room, '--status', 'done'],
    ['logs', 'report'],
  ]) {
    expect((await cli(args)).exitCode, args.join(' ')).toBe(2)
  }
})

const submitted = (route = 'submitRun') => {
  const request = service.requests.find((sent) => sent.route === route)
  return request && (JSON.parse(String(request.body)) as Record<string, unknown>)
}

test('an input is JSON text, with fields from the command line by the schema of the task', async () => {
  const item = {
    task_id: 'tsk_1',
    task_name: 'report',
    task_version_id: 'tvr_1',
    input_schema: '{"properties":{"month":{"type":"string"},"rows":{"type":"integer"}}}',
  }
  service.answers.readMenu = () => ({ json: page([item]) })
  const args = [
    'run',
    'report',
    '--room',
    room,
    '--input',
    '{"a":[1]}',
    '--set',
    'month=3',
    '--set',
    'rows=7',
  ]
  expect(await cli(args)).toMatchObject({ exitCode: 0 })
  expect(submitted()).toEqual({ task_version_id: 'tvr_1', input: { a: [1], month: '3', rows: 7 } })
  const wrong = await cli(['run', 'report', '--room', room, '--set', 'rows=many'])
  expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('rows must be a whole number') })
})

test('files are uploaded and given to the run with its metadata', async () => {
  const uploads: [string | null, string][] = []
  service.answers.uploadInputFile = ({ query, body }) => {
    uploads.push([query.get('name'), String(body)])
    return { json: { id: `fil_${uploads.length}` } }
  }
  service.answers.submitExtendedRun = () => ({ json: runOf({ status: 'queued', terminal_at: null }) })
  writeFileSync(join(home, 'march.csv'), 'a,b')
  writeFileSync(join(home, 'x=y.csv'), 'c')
  const files = ['--file', 'march.csv', '--file', 'sales.csv=march.csv', '--file', './x=y.csv']
  const meta = ['--meta', 'external_user=line:U1', '--meta', 'note=a=b']
  expect(await cli(['run', 'report', '--room', room, ...files, ...meta])).toMatchObject({ exitCode: 0 })
  expect(uploads).toEqual([
    ['march.csv', 'a,b'],
    ['sales.csv', 'a,b'],
    ['x=y.csv', 'c'],
  ])
  expect(submitted('submitExtendedRun')).toEqual({
    task_version_id: 'tvr_1',
    input: {},
    files: [
      { name: 'march.csv', file_id: 'fil_1' },
      { name: 'sales.csv', file_id: 'fil_2' },
      { name: 'x=y.csv', file_id: 'fil_3' },
    ],
    metadata: { external_user: 'line:U1', note: 'a=b' },
  })
  expect(submitted()).toBeUndefined()
})

test('uploaded files of a run that is refused are deleted', async () => {
  const deleted: (string | undefined)[] = []
  service.answers.uploadInputFile = () => ({ json: { id: 'fil_1' } })
  service.answers.deleteInputFile = ({ params }) => {
    deleted.push(params.fid)
    return { json: {} }
  }
  service.answers.submitExtendedRun = () => ({
    status: 409,
    detail: { code: 'version_not_runnable', message: 'no' },
  })
  writeFileSync(join(home, 'march.csv'), 'a,b')
  const result = await cli(['run', 'report', '--room', room, '--file', 'march.csv'])
  expect(result).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('version_not_runnable') })
  expect(deleted).toEqual(['fil_1'])
})

test('files that are not there, or have a name that no run takes, are refused before anything is sent', async () => {
  writeFileSync(join(home, 'a.csv'), 'a')
  for (const files of [['none.csv'], ['a.csv', 'a.csv'], ['.'], ['..=a.csv']]) {
    const args = files.flatMap((file) => ['--file', file])
    expect((await cli(['run', 'report', '--room', room, ...args])).exitCode, String(files)).toBe(2)
  }
  expect(service.requests).toEqual([])
})

test('a watched run shows its log on standard error', async () => {
  const event = (id: number, data: object) => `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`
  service.answers.followRunLog = () => ({
    bytes: event(5, { kind: 'log', text: 'line one\n' }) + event(5, { kind: 'end', status: 'completed' }),
  })
  const result = await watched({})
  expect(result).toMatchObject({ exitCode: 0, stdout: '{"total":1}\n' })
  expect(result.stderr).toContain('line one\n')
})

test('a watched run whose output cannot be read ends with 125, and one whose log cannot be shown with its own code', async () => {
  service.answers.followRunLog = () => ({ status: 500, detail: 'broken' })
  expect(await watched({})).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('log cannot be shown'),
  })
  service.answers.readRunOutput = () => ({ status: 404, detail: { code: 'not_found', message: 'gone' } })
  expect((await watched({})).exitCode).toBe(125)
})

test('the exact failure is shown, because hints refer to it', async () => {
  const failed = { status: 'customer_failed', error_code: 'secret_missing', exit_code: null }
  const detail = { error_detail: 'borrower:API_TOKEN', failure_hint: 'error_detail names the slot.' }
  const { stderr } = await watched({ ...failed, ...detail })
  expect(stderr).toContain('(secret_missing)\n  error_detail: borrower:API_TOKEN\nhint:  error_detail names')
})

test('a message after an output without a line end starts a line of its own where both go to one pipe', async () => {
  service.answers.readRunOutput = () => ({ bytes: '{"total":1}' })
  service.answers.readRun = () => ({ json: runOf({ status: 'customer_failed', exit_code: 3 }) })
  const args = ['run', 'report', '--room', room, '--watch']
  const settings = { home, env: { SANDBOX_URL: service.url, SANDBOX_TOKEN: 'jwt' } }
  const program: [string, ...string[]] = ['bash', '-c', 'exec "$0" "$@" 2>&1', checkoutCommand]
  expect((await runCli(args, { ...settings, program })).stdout).toContain('{"total":1}\nerror: The run ended')
  const apart = await runCli(args, settings)
  expect(apart.stdout).toBe('{"total":1}')
  expect(apart.stderr).not.toContain('\n\n')
})

test('runs are listed with their task and person, in every room or in one', async () => {
  const person = { principal_type: 'user', task_id: 'tsk_1', task_name: 'report', queued_at: null }
  const items = ['usr_1', 'usr_2', 'usr_3'].map((principal_id) =>
    runOf({ ...person, principal_id, chatroom_name: 'daily' }),
  )
  Object.assign(service.answers, {
    listVisibleRuns: () => ({ json: page(items) }),
    readMe: () => ({ json: { principal_id: 'usr_1', role: 1 } }),
    readNames: () => ({ json: { items: [{ id: 'usr_2', kind: 'user', name: 'Ben' }] } }),
  } satisfies FakeService['answers'])
  const { stdout } = await cli(['runs'])
  expect(stdout).toMatch(/^RUN +TASK +BY .*ROOM/)
  expect(stdout).toMatch(/^run_2+ +report +you +completed .*daily$/m)
  expect(stdout).toMatch(/^run_2+ +report +Ben +completed/m)
  expect(stdout).toMatch(/^run_2+ +report +usr_3 +completed/m)
  expect(service.requests.find(({ route }) => route === 'readNames')?.query.getAll('ids')).toEqual([
    'usr_2',
    'usr_3',
  ])
  await cli(['runs', '--room', room])
  const listed = service.requests.filter(({ route }) => route === 'listVisibleRuns')
  expect(listed.map(({ query }) => query.get('chatroom_id'))).toEqual([null, room])
})

test('a sandbox-scope key lists its own runs of a room', async () => {
  service.answers.listVisibleRuns = () => ({ status: 403, detail: 'This API key may not do that' })
  service.answers.listRuns = () => ({
    json: page([runOf({ principal_type: 'user', principal_id: 'usr_1', task_id: 'tsk_1', queued_at: null })]),
  })
  service.answers.readMe = () => ({ status: 403, detail: 'This API key may not do that' })
  expect((await cli(['runs', '--room', room])).stdout).toMatch(/^run_2+ .*usr_1 +completed/m)
})
