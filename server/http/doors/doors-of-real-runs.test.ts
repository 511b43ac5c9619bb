import type { DoorRuntimeRequest, DoorWithKey } from '@sandbox-jobs/contract/resources/doors/door.ts'
import type { DoorKind } from '@sandbox-jobs/contract/resources/doors/door-kind.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { RealRuns } from '../../../testing/apps/real-runs.ts'
import { DoorSteps, type PlatformRequest } from '../../../testing/apps/steps/door-steps.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { hostPythonTar } from '../../../testing/host-python.ts'

/*
 * The requests of the platforms' own clients, as they send them, executed in real sandboxes with Python.
 */

const database = await createTestDatabase()
const { db } = database
const runs = await RealRuns.start(database)
const steps = new DoorSteps(runs.api)
let tenant: Tenant
const made: Partial<Record<DoorKind, DoorWithKey>> = {}

beforeAll(async () => {
  tenant = await makeTenant(db)
  const environment_version_id = await runs.makeVersion(tenant.companyId, hostPythonTar())
  const python: DoorRuntimeRequest = { language: 'python', version: '3.11.2', environment_version_id }
  // A language that is compiled: the compiler adds a line to the program.
  const toy: DoorRuntimeRequest = {
    language: 'toy',
    version: '1.2.0',
    environment_version_id,
    compile_command:
      'echo compiling "$@"; python3 -c "import ast, sys; ast.parse(open(sys.argv[1]).read())" "$1" && { echo "print(\'compiled\')"; cat "$1"; } > program.py',
    run_command: 'shift; exec python3 program.py "$@"',
  }
  for (const kind of ['dify', 'piston', 'librechat'] as const)
    made[kind] = await steps.create(tenant.roomManager, tenant.roomId, {
      name: kind,
      kind,
      runtimes: [python, toy],
      timeout_seconds: 20,
    })
})

const send = <Body>(kind: DoorKind, { path, ...request }: PlatformRequest) =>
  steps.send<Body>({
    ...request,
    path: `/doors/${kind}${path}`,
    headers: { 'x-api-key': made[kind]?.door_key ?? '', ...request.headers },
  })

describe('Dify', () => {
  interface Ran {
    code: number
    message: string
    data: { stdout: string; stderr: string; error: string; exit_code: number }
  }
  const run = async (code: string, more: Record<string, unknown> = {}) => {
    const body = { language: 'python3', code, preload: '', enable_network: true, ...more }
    const answer = await send<Ran>('dify', { path: '/v1/sandbox/run', body })
    expect([answer.status, answer.body.code, answer.body.message]).toEqual([200, 0, 'success'])
    return answer.body.data
  }

  it('gets what its runner of a code node prints', async () => {
    const inputs = Buffer.from(JSON.stringify({ arg1: 'ü', arg2: 2 })).toString('base64')
    const runner = `
def main(arg1: str, arg2: int):
    return {"result": arg1 * arg2}

import json
from base64 import b64decode

inputs_obj = json.loads(b64decode('${inputs}').decode('utf-8'))
output_obj = main(**inputs_obj)
output_json = json.dumps(output_obj, indent=4)
result = f'''<<RESULT>>{output_json}<<RESULT>>'''
print(result)
`
    const { stdout, error, exit_code } = await run(runner)
    const [, result] = /<<RESULT>>(.*)<<RESULT>>/s.exec(stdout) ?? []
    expect([JSON.parse(result ?? ''), error, exit_code]).toEqual([{ result: 'üü' }, '', 0])
  })

  it('gets a warning apart from the output, and a traceback as the error', async () => {
    expect(await run('import sys; print(1); print("warned", file=sys.stderr)')).toEqual({
      stdout: '1\n',
      stderr: 'warned\n',
      error: '',
      exit_code: 0,
    })
    const failed = await run("print('before')\nraise ValueError('no')")
    expect(failed).toMatchObject({ stdout: 'before\n', exit_code: 1 })
    expect(failed.error).toMatch(/^process exited with code 1\nTraceback .*ValueError: no\n$/s)
  })

  it('runs its preload first, and quotes of any kind are text', async () => {
    const { stdout } = await run(`print(a, '''it's "$HOME" \\x60id\\x60 $(id)''')`, { preload: "a = 'pre'" })
    expect(stdout).toBe(`pre it's "$HOME" \`id\` $(id)\n`)
  })

  it('lists the packages that a program finds', async () => {
    const path = '/v1/sandbox/dependencies?language=python3'
    const { status, body } = await send('dify', { method: 'GET', path })
    expect([status, body]).toEqual([200, { code: 0, message: 'success', data: { dependencies: [] } }])
  })
})

describe('Piston', () => {
  interface Executed {
    run: Record<string, unknown>
    compile?: Record<string, unknown>
    language: string
    version: string
  }
  const execute = async (body: Record<string, unknown>) => {
    const path = '/api/v2/execute'
    const answer = await send<Executed>('piston', { path, body: { language: 'py', version: '3.x', ...body } })
    expect([answer.status, answer.body]).toEqual([200, expect.anything()])
    return answer.body
  }

  it('gets both streams of a program with files, arguments and standard input', async () => {
    const code = `
import sys, helper
print(sys.argv[1:], sys.stdin.read())
print(helper.name, open('data/bytes.bin', 'rb').read(), file=sys.stderr)
`
    const { run, language, version } = await execute({
      files: [
        { name: 'main.py', content: code },
        { name: 'helper.py', content: "name = 'h'" },
        { name: 'data/bytes.bin', content: Buffer.from([0, 255, 10]).toString('base64'), encoding: 'base64' },
      ],
      args: ['a b', "it's"],
      stdin: 'in',
      run_timeout: 5000,
      compile_timeout: 10_000,
      run_memory_limit: -1,
    })
    expect([language, version]).toEqual(['python', '3.11.2'])
    const stdout = `['a b', "it's"] in\n\n`
    const stderr = `h b'\\x00\\xff\\n'\n`
    expect(run).toMatchObject({
      stdout,
      stderr,
      output: stdout + stderr,
      code: 0,
      signal: null,
      status: null,
    })
    expect([Number(run.wall_time) > 0, Number(run.memory) > 0]).toEqual([true, true])
  })

  it('answers a client that calls its JSON text, and one that sends the limits of Piston by itself', async () => {
    const body = { language: 'python', version: '3.11.2', files: [{ content: 'print(1)' }] }
    const limits = {
      compile_timeout: 10_000,
      run_timeout: 3000,
      compile_memory_limit: -1,
      run_memory_limit: -1,
    }
    const short = await steps.create(tenant.roomManager, tenant.roomId, {
      name: 'short',
      kind: 'piston',
      runtimes: [
        {
          language: 'python',
          version: '3.11.2',
          environment_version_id: made.piston?.runtimes[0]?.environment_version_id ?? '',
        },
      ],
      timeout_seconds: 2,
    })
    const response = await runs.api.app.inject({
      method: 'POST',
      url: `/doors/piston/with-key/${short.door_key}/api/v2/execute`,
      headers: { 'content-type': 'text/plain;charset=UTF-8' },
      payload: JSON.stringify({ ...body, ...limits }),
    })
    expect(response.json()).toMatchObject({ run: { stdout: '1\n', code: 0 } })
  })

  it('reports a signal, an exit code and the time limit, with what was printed before', async () => {
    const content = "import os, sys\nprint('before', flush=True)\n"
    const killed = await execute({ files: [{ content: `${content}os.kill(os.getpid(), 11)` }] })
    expect(killed.run).toMatchObject({ stdout: 'before\n', code: null, signal: 'SIGSEGV', status: 'SG' })
    const exited = await execute({ files: [{ content: `${content}sys.exit(7)` }] })
    expect(exited.run).toMatchObject({ stdout: 'before\n', code: 7, signal: null, status: 'RE' })
    const slow = await execute({
      files: [{ content: `${content}import time; time.sleep(60)` }],
      run_timeout: 1000,
    })
    expect(slow.run).toMatchObject({ stdout: 'before\n', code: null, signal: 'SIGKILL', status: 'TO' })
  })

  it('gets the stage of the compiler apart, and no run of what did not compile', async () => {
    const toy = { language: 'toy', version: '*' }
    const good = await execute({ ...toy, files: [{ name: 'a.toy', content: 'print(1)' }] })
    expect(good.compile).toMatchObject({ stdout: 'compiling a.toy\n', stderr: '', code: 0 })
    expect(good.run).toMatchObject({ stdout: 'compiled\n1\n', code: 0 })
    const bad = await execute({ ...toy, files: [{ content: 'print(' }] })
    expect(bad.compile).toMatchObject({ stdout: 'compiling file0.code\n', code: 1, status: 'RE' })
    expect(bad.compile?.stderr).toContain('SyntaxError')
    expect(bad.run).toEqual(bad.compile)
  })
})

describe('LibreChat', () => {
  interface File {
    id: string
    name: string
    session_id: string
  }
  interface Executed {
    session_id: string
    stdout: string
    stderr: string
    files: File[]
  }
  const exec = async (code: string, more: Record<string, unknown> = {}) => {
    const answer = await send<Executed>('librechat', { path: '/exec', body: { lang: 'py', code, ...more } })
    expect([answer.status, answer.body]).toEqual([200, expect.anything()])
    return answer.body
  }
  const refOf = ({ id, name, session_id }: File) => ({ id, name, storage_session_id: session_id })

  it('keeps files from upload to program to program to download', async () => {
    const parts = [
      { part: 'kind', name: '', content: 'user' },
      { part: 'id', name: '', content: 'u1' },
      { part: 'file', name: 'numbers.csv', content: '1\n2\n3\n' },
    ]
    const uploaded = await send<{ session_id: string; files: { fileId: string }[] }>('librechat', {
      path: '/upload',
      parts,
    })
    expect(uploaded.body).toMatchObject({ message: 'success', files: [{ filename: 'numbers.csv' }] })
    const { session_id } = uploaded.body
    const id = uploaded.body.files[0]?.fileId ?? ''
    const object = await send<{ lastModified: string }>('librechat', {
      method: 'GET',
      path: `/sessions/${session_id}/objects/${id}`,
    })
    expect(Date.parse(object.body.lastModified)).toBeLessThanOrEqual(Date.now())

    const first = await exec(
      `import os
numbers = [int(n) for n in open('/mnt/data/numbers.csv')]
os.makedirs('/mnt/data/out', exist_ok=True)
open('/mnt/data/out/sum.txt', 'w').write(str(sum(numbers)))
print(sorted(os.listdir('.')))`,
      { files: [{ id, name: 'numbers.csv', session_id }] },
    )
    expect(first).toMatchObject({ stdout: "['numbers.csv', 'out']\n", stderr: '' })
    // The file that the program did not change is no result.
    expect(first.files.map(({ name }) => name)).toEqual(['out/sum.txt'])
    const [sum] = first.files as [File]

    const second = await exec(
      `text = open('/mnt/data/out/sum.txt').read()
with open('/mnt/data/out/sum.txt', 'a') as file: file.write('!')
import os; os.utime('/mnt/data/out/sum.txt', (1600000002, 1600000002))
print(text)`,
      { files: [refOf(sum), { id, name: '/mnt/data/numbers.csv', session_id }] },
    )
    expect([second.stdout, second.files.map(({ name }) => name)]).toEqual(['6\n', ['out/sum.txt']])
    const [changed] = second.files as [File]
    const download = await send('librechat', {
      method: 'GET',
      path: `/download/${changed.session_id}/${changed.id}`,
    })
    expect([download.status, download.text]).toEqual([200, '6!'])
    const list = await send<Record<string, unknown>[]>('librechat', {
      method: 'GET',
      path: `/files/${second.session_id}?detail=full`,
    })
    expect(list.body).toEqual([
      expect.objectContaining({
        id: changed.id,
        name: `${changed.session_id}/${changed.id}`,
        lastModified: '2020-09-13T12:26:42.000Z',
        metadata: { 'original-filename': 'out/sum.txt' },
      }),
    ])
  })

  it('finds the folder and its files with ls and find, as people type them', async () => {
    const { files } = await exec("open('/mnt/data/a.txt', 'w').write('1')")
    const [made] = files as [File]
    const seen = await exec(
      `import os, subprocess
for command in ('find /mnt/data -type f', 'ls -la /mnt/data'):
    print(subprocess.run(['/.sandbox/busybox', *command.split()], text=True, capture_output=True).stdout)
open(os.environ['SERVICE_ARTIFACTS_DIR'] + '/b.txt', 'w').write('2')
os.remove('/mnt/data/a.txt')`,
      { files: [refOf(made)] },
    )
    const [found, listed] = seen.stdout.split('\n\n')
    expect([found, seen.stderr]).toEqual(['/mnt/data/a.txt', ''])
    expect(listed).toMatch(/ a\.txt$/)
    expect(seen.files.map(({ name }) => name)).toEqual(['b.txt'])
  })

  it('keeps what a program left that took too long', async () => {
    const late = await exec("import time\nopen('/mnt/data/left.txt', 'w').write('1')\ntime.sleep(60)")
    expect(late.stderr).toContain('time')
    expect(late.files.map(({ name }) => name)).toEqual(['left.txt'])
  })

  it('reads the end of a program in stderr', async () => {
    const { stdout, stderr } = await exec("print('x'); raise SystemExit(4)", { args: ['a'] })
    expect([stdout, stderr]).toEqual(['x\n', 'The program exited with code 4.'])
    const bad = await exec('print(', { lang: 'toy' })
    expect(bad.stderr).toContain('SyntaxError')
  })

  it('gives no file of another door to a program', async () => {
    const { files } = await exec("open('/mnt/data/own.txt', 'w').write('1')")
    const other = await steps.create(tenant.roomManager, tenant.roomId, {
      name: 'other',
      kind: 'librechat',
      runtimes: [
        {
          language: 'python',
          environment_version_id: made.librechat?.runtimes[0]?.environment_version_id ?? '',
        },
      ],
    })
    const headers = { 'x-api-key': other.door_key }
    const [file] = files as [File]
    const download = await steps.send({
      method: 'GET',
      path: `/doors/librechat/download/${file.session_id}/${file.id}`,
      headers,
    })
    const body = { lang: 'py', code: 'print(1)', files: [refOf(file)] }
    const taken = await steps.send({ path: '/doors/librechat/exec', body, headers })
    expect([download.status, taken.status]).toEqual([404, 404])
  })
})

describe('a program that came by a door', () => {
  it('is listed as a run of its room, with its output and its error output as the log', async () => {
    const body = { lang: 'py', code: "import sys; print('out'); print('err', file=sys.stderr)" }
    const { body: executed } = await send<{ session_id: string }>('librechat', { path: '/exec', body })
    const row = await db
      .selectFrom('runs')
      .selectAll()
      .where('id', '=', executed.session_id)
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({
      company_id: tenant.companyId,
      chatroom_id: tenant.roomId,
      principal_id: tenant.roomManager.principalId,
      api_key_id: made.librechat?.id,
      submission_source: 'quick_run',
      state: 'completed',
    })
  })

  it('reaches nothing unless the door and the request want the network', async () => {
    const code = `
import socket
s = socket.socket(); s.settimeout(5)
try:
    s.connect(('1.1.1.1', 443)); print('connected')
except OSError as error: print('refused')
`
    const { body } = await send<{ stdout: string }>('librechat', {
      path: '/exec',
      body: { lang: 'py', code },
    })
    expect(body.stdout).toBe('refused\n')
    const path = '/v1/sandbox/run'
    const asked = { language: 'python', code, enable_network: false }
    const dify = await send<{ data: { stdout: string } }>('dify', { path, body: asked })
    expect(dify.body.data.stdout).toBe('refused\n')
  })

  it('is cancelled when its client hangs up', async () => {
    const url = await runs.api.app.listen({ host: '127.0.0.1', port: 0 })
    const hangUp = new AbortController()
    const body = JSON.stringify({ lang: 'py', code: 'import time; time.sleep(15)' })
    const request = fetch(`${url}/doors/librechat/exec`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': made.librechat?.door_key ?? '' },
      body,
      signal: hangUp.signal,
    })
    const live = () =>
      db
        .selectFrom('runs')
        .select(['id', 'state'])
        .where('company_id', '=', tenant.companyId)
        .where('state', 'in', ['starting', 'running'])
        .executeTakeFirst()
    await expect.poll(live).toBeDefined()
    const run = await live()
    hangUp.abort()
    await expect(request).rejects.toThrow()
    const state = async () =>
      (
        await db
          .selectFrom('runs')
          .select('state')
          .where('id', '=', run?.id ?? '')
          .where('company_id', '=', tenant.companyId)
          .executeTakeFirst()
      )?.state
    await expect.poll(state).toBe('cancelled')
  })
})
