import type { DoorWithKey } from '@sandbox-jobs/contract/resources/doors/door.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { RealRuns } from '../../../../testing/apps/real-runs.ts'
import { DoorSteps } from '../../../../testing/apps/steps/door-steps.ts'
import { TerminalSteps } from '../../../../testing/apps/steps/terminal-steps.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'

/* The requests of Open WebUI's tools and pages, as they send them, with real sandboxes. */

const database = await createTestDatabase()
const runs = await RealRuns.start(database)
const steps = new DoorSteps(runs.api)
let tenant: Tenant
let door: DoorWithKey

beforeAll(async () => {
  tenant = await makeTenant(database.db)
  door = await steps.create(tenant.roomManager, tenant.roomId, {
    name: 'terminal',
    kind: 'open_terminal',
    runtimes: [
      {
        language: 'sh',
        environment_version_id: await runs.makeVersion(tenant.companyId),
        run_command: 'exec /.sandbox/busybox sh "$@"',
      },
    ],
    timeout_seconds: 20,
  })
})

const terminal = new TerminalSteps(steps, () => door)

interface Process {
  id: string
  status: string
  exit_code: number | null
  output: { type: string; data: string }[]
  truncated: boolean
  next_offset: number
}
const textOf = ({ output }: Process) => output.map(({ data }) => data).join('')
/** As the tool `run_command` sends it: everything that the model gave is in the body too. */
const run = async (command: string, more: Record<string, unknown> = {}, user?: string): Promise<Process> => {
  const asked = { command, wait: 30, ...more }
  const { body, status } = await terminal.post<Process>('/execute?wait=30', asked, user)
  expect([status, body]).toEqual([200, expect.anything()])
  return body
}
const statusOf = async (id: string, query = '') =>
  (await terminal.get<Process>(`/execute/${id}/status${query}`)).body

describe('a command of Open Terminal', () => {
  it('prints both streams in order, and finds the files of the one before', async () => {
    const first = await run(
      'echo one; echo two >&2; echo three; pwd; echo "~ is $HOME"; echo kept > f.txt; exit 3',
    )
    expect(first).toMatchObject({ status: 'done', exit_code: 3, truncated: false })
    const home = '/workspace/session'
    expect(textOf(first)).toBe(`one\ntwo\nthree\n${home}\n~ is ${home}\n`)
    const second = await run(`cat f.txt; mkdir -p a; cd a; echo "$X 'it is' $(echo ü)"`, {
      env: { X: `"$(id)"` },
    })
    expect([second.exit_code, textOf(second)]).toEqual([0, `kept\n"$(id)" 'it is' ü\n`])
    expect(textOf(await run('pwd', { cwd: 'a' }))).toBe(`${home}/a\n`)
    await terminal.post('/files/cwd', { path: `${home}/a` })
    expect(textOf(await run('pwd'))).toBe(`${home}/a\n`)
    expect(textOf(await run('pwd', { cwd: '..' }))).toBe(`${home}\n`)
    await terminal.post('/files/cwd', { path: home })
    expect(await run('pwd', { cwd: '/nowhere' })).toMatchObject({ exit_code: 125 })
  })

  it('keeps its home directory without caches, unless the request says where they are', async () => {
    const print = 'echo "$HOME $XDG_CACHE_HOME $npm_config_cache"'
    expect(textOf(await run(print))).toBe('/workspace/session /workspace/cache /workspace/cache/npm\n')
    expect(textOf(await run(print, { env: { HOME: '/tmp', XDG_CACHE_HOME: '/x' } }))).toBe(
      '/tmp /x /workspace/cache/npm\n',
    )
  })

  it('has files of its own user alone', async () => {
    await run('echo mine > secret')
    expect(textOf(await run('ls -A', {}, 'bob'))).toBe('')
  })

  it('is read while it runs, from where the reader was, and killed', async () => {
    const { body: started } = await terminal.post<Process>('/execute?wait=0', {
      command: 'echo begin; sleep 15; echo end',
    })
    expect(started).toMatchObject({ status: 'running', output: [] })
    const live = async () => textOf(await statusOf(started.id, '?wait=0'))
    await expect.poll(live).toBe('begin\n')
    expect(await statusOf(started.id, '?wait=0&offset=6')).toMatchObject({ output: [], next_offset: 6 })
    const waiting = await terminal.post<Process>('/execute?wait=0', { command: 'echo next' })
    expect((await terminal.delete(`/execute/${started.id}`)).status).toBe(200)
    expect(await statusOf(started.id)).toMatchObject({ status: 'killed', exit_code: null })
    const next = await statusOf(waiting.body.id, '?wait=20')
    expect([next.status, textOf(next)]).toEqual(['done', 'next\n'])
  })

  it('gives the end of a long output, or all of it in parts', async () => {
    const long = await run('i=0; while [ $i -lt 90000 ]; do i=$((i+1)); echo "line $i ü"; done')
    expect(long).toMatchObject({ truncated: true, exit_code: 0 })
    let text = textOf(long)
    for (let offset = long.next_offset; ; ) {
      const part = await statusOf(long.id, `?offset=${offset}`)
      text += textOf(part)
      offset = part.next_offset
      if (!part.truncated) break
    }
    expect([text.length, text.endsWith('line 90000 ü\n')]).toEqual([
      Array.from({ length: 90_000 }, (_, at) => `line ${at + 1} ü\n`.length).reduce((a, b) => a + b),
      true,
    ])
    const tail = await statusOf(long.id, '?tail=2')
    expect([textOf(tail), tail.truncated]).toEqual(['line 89999 ü\nline 90000 ü\n', true])
  })

  it('says why it did not end by itself, and when its files are not kept', async () => {
    const killed = await run('kill -9 $$')
    expect(killed).toMatchObject({ status: 'done', exit_code: -9 })
    const refused = await run('echo before > g; ln -s "$(printf %01100d 1)" link; echo printed')
    expect(refused.status).toBe('done')
    expect(textOf(refused)).toMatch(/^printed\n.*session/s)
    expect(textOf(await run('ls g link 2>&1'))).not.toContain('before')
  })

  it('is a run of the room, as the person of the door', async () => {
    const { id } = await run('true')
    const input = await inputOf(id)
    expect(input).toEqual({ door: 'terminal', user: 'ada', command: 'true' })
    const row = await database.db
      .selectFrom('runs')
      .selectAll()
      .where('id', '=', id)
      .where('company_id', '=', tenant.companyId)
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({
      chatroom_id: tenant.roomId,
      principal_id: tenant.roomManager.principalId,
      api_key_id: door.id,
      state: 'completed',
    })
  })
})

describe('files', () => {
  it('are the same for commands and for requests', async () => {
    await terminal.post('/files/write', { path: 'shared/in.txt', content: 'from a request' })
    expect(textOf(await run('cat shared/in.txt; printf "%s" "from a command" > shared/out.txt'))).toBe(
      'from a request',
    )
    const read = await terminal.get('/files/read?path=shared%2Fout.txt')
    expect(read.body).toMatchObject({ total_lines: 1, content: 'from a command' })
  })

  it('are searched by content, whatever their names and bytes are', async () => {
    interface Found {
      matches: { file: string; line?: number; content?: string }[]
      truncated: boolean
    }
    const files = { 'a.py': 'x = 1\ndef f(): # 42\n', 'b:2:c.js': 'var x; // 42\n', "it's $(id)": 'no\n42' }
    for (const [name, content] of Object.entries(files))
      await terminal.post('/files/write', { path: `search/${name}`, content }, 'eve')
    await run(`printf '\\0\\377 42\\n' > search/binary; ln -s /etc/passwd search/link`, {}, 'eve')
    const found = async (query: string) => {
      const { body } = await terminal.get<Found>(`/files/grep?path=search&${query}`, 'eve')
      const shown = body.matches.map(({ file, line, content }) =>
        [file.replace('/workspace/session/search/', ''), line, content].filter((part) => part !== undefined),
      )
      return shown.toSorted((one, other) => (String(one[0]) < String(other[0]) ? -1 : 1))
    }
    expect(await found(`query=${encodeURIComponent('\\b\\d{2}\\b')}`)).toEqual([
      ['a.py', 2, 'def f(): # 42'],
      ['b:2:c.js', 1, 'var x; // 42'],
      ["it's $(id)", 2, '42'],
    ])
    expect(await found('query=DEF+F()&regex=False&case_insensitive=True&match_per_line=False')).toEqual([
      ['a.py'],
    ])
    const include = encodeURIComponent("['*.js', '*.ts']")
    expect(await found(`query=42&include=${include}`)).toEqual([['b:2:c.js', 1, 'var x; // 42']])
    expect(await found('query=nothing+here')).toEqual([])
    const bad = await terminal.get('/files/grep?query=a(', 'eve')
    expect(bad).toMatchObject({ status: 400, body: { detail: 'Invalid regex' } })
    const none = await terminal.get('/files/grep?query=a', 'frank')
    expect(none.body).toEqual({ query: 'a', path: '/workspace/session', matches: [], truncated: false })
  })
})

async function inputOf(id: string): Promise<unknown> {
  const { content } = await database.db
    .selectFrom('run_inputs')
    .select('content')
    .where('run_id', '=', id)
    .where('company_id', '=', tenant.companyId)
    .executeTakeFirstOrThrow()
  return JSON.parse(content.toString('utf8'))
}
