import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { Command } from 'commander'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { clientCommands } from '../commands/client-commands.ts'
import { machineCommands } from '../commands/machine-commands.ts'
import { type FakeService, fakeService } from '../testing/fake-service.ts'
import { checkoutCommand, machineCommand, runCli } from '../testing/run-cli.ts'
import { addCommands } from './command-table.ts'

const room = `roo_${'1'.repeat(32)}`
const run = `run_${'2'.repeat(32)}`

let service: FakeService
let home: string

beforeEach(async () => {
  service = await fakeService()
  home = mkdtempSync(join(tmpdir(), 'cli-program-'))
})
afterEach(async () => {
  await service.close()
  rmSync(home, { recursive: true })
})

const cli = (...args: string[]) =>
  runCli(args, { home, env: { SANDBOX_URL: service.url, SANDBOX_TOKEN: 'jwt' } })

const mainProgram = join(import.meta.dirname, '../main.ts')

/** The modules that the program of the checkout loads. */
async function modulesOf(...args: string[]): Promise<string[]> {
  const hook = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
    process.on('exit', () => process.stderr.write(loaded.join('\\n')))`
  const program = [process.execPath, '--import', `data:text/javascript,${encodeURIComponent(hook)}`] as const
  const { exitCode, stderr } = await runCli(args, { home, program: [...program, mainProgram] })
  expect(exitCode).toBe(0)
  return stderr.split('\n')
}

/** Runs a line of bash, where $0 is the command and $1 the room. */
const shell = async (line: string) => {
  const env = { PATH: '/usr/bin:/bin', HOME: home, SANDBOX_URL: service.url, SANDBOX_TOKEN: 'jwt' }
  const child = spawn('bash', ['-c', line, checkoutCommand, room], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { exitCode: child.exitCode, stdout, stderr }
}

test('an unknown command is one error with the most similar name, and exits with 2', async () => {
  expect(await cli('rn')).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: "error: unknown command 'rn' (Did you mean run?)\nhint:  sandbox --help lists the commands.\n",
  })
  expect((await cli('env', 'lst')).stderr).toContain("unknown command 'lst' (Did you mean list?)")
})

test('help loads no database and no process of the service', async () => {
  const loaded = await modulesOf('--help')
  expect(
    loaded.filter((url) => /\/node_modules\/(kysely|pg)\/|\/server\/main\/(all|operator)/.test(url)),
  ).toEqual([])
  expect(loaded.length).toBeGreaterThan(100)
  expect(loaded.length).toBeLessThan(1200)
})

test.each([[['rn', '--help']], [['help', 'rn']], [['env', 'lst', '--help']]])(
  'help of an unknown command is that error too: %j',
  async (words) => {
    const { exitCode, stdout, stderr } = await cli(...words)
    expect([exitCode, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^error: unknown command '\w+' \(Did you mean \w+\?\)\n/)
  },
)

test('a group of the machine commands has the same rule', async () => {
  const program: [string] = [machineCommand]
  const { exitCode, stderr } = await runCli(['operator', 'mirror', 'lst', '--help'], { home, program })
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringContaining("unknown command 'lst' (Did you mean list?)"),
  ])
})

test('help of a known command is its own, by the word and by the option', async () => {
  const asked = await cli('help', 'env', 'push')
  expect(asked).toMatchObject({ exitCode: 0, stderr: '' })
  expect(asked.stdout).toBe((await cli('env', 'push', '--help')).stdout)
  expect((await cli('help')).stdout).toBe((await cli('--help')).stdout)
})

test('a mistyped option is named, not the required one that it stands for', async () => {
  const wrong = await cli('quick-run', 'work.sh', '--room', room, '--environment', 'python')
  expect(wrong).toMatchObject({ exitCode: 2, stdout: '' })
  expect(wrong.stderr).toContain("error: unknown option '--environment' (Did you mean --env?)\n")
  expect((await cli('quick-run', 'work.sh', '--room', room)).stderr).toContain("required option '--env")
  expect((await cli('quick-run', 'x', '--room', room, '--nonsense=1')).stderr).toContain(
    "error: unknown option '--nonsense'\n",
  )
})

test('with --json a wrong command line is one document', async () => {
  const { exitCode, stderr } = await cli('quick-run', '--json')
  expect(exitCode).toBe(2)
  expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'cli_usage', exit_code: 2 } })
})

test('help and version exit with 0', async () => {
  expect(await cli('--version')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  })
  expect(await cli('env', '--help')).toMatchObject({ exitCode: 0, stderr: '' })
})

test.each([
  ['a short answer', '"$0" --help | true'],
  ['a long answer', '"$0" runs --room "$1" --json | head -c 1 > /dev/null'],
  ['an error', '"$0" unknown 2>&1 > /dev/null | true'],
])('a reader that closes its pipe ends %s without a word', async (_, line) => {
  const one = {
    id: run,
    chatroom_id: room,
    task_id: 'tsk_1',
    principal_id: 'usr_1',
    status: 'queued',
    error_code: '',
    exit_code: null,
    queued_at: null,
  }
  const items = Array.from({ length: 2000 }, () => one)
  service.answers.listVisibleRuns = () => ({ json: { items, page_size: 100, next_page_token: null } })
  const result = await shell(`set -o pipefail; ${line}`)
  expect(result.stderr).toBe('')
  // 141 if the command wrote after its reader had left, which is a race for a short answer.
  expect([0, 2, 141]).toContain(result.exitCode)
  if (line.includes('runs')) expect(result.exitCode).toBe(141)
})

test('output that cannot be written is an error', async () => {
  const result = await shell('"$0" --help > /dev/full')
  expect(result).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('cannot be written') })
})

test('a result that could not be read is not exit code 0', async () => {
  service.answers.readRunContent = () => ({ json: { has_output: true, has_log: true } })
  service.answers.readRunOutput = () => ({ broken: '{"total":' })
  service.answers.readRunLog = () => ({ status: 403, detail: 'Forbidden' })
  const broken = await cli('output', run, '--room', room)
  expect(broken).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('connection') })
  expect((await cli('output', run, '--room', room, '--json')).exitCode).toBe(1)
  expect((await cli('logs', run, '--room', room)).exitCode).toBe(1)
})

test('the output of a watched run that could not be read is not exit code 0', async () => {
  const ended = { id: run, chatroom_id: room, status: 'completed', terminal_at: '2026-01-01T00:00:00Z' }
  service.answers.readMenu = () => ({
    json: {
      items: [{ task_id: 'tsk_1', task_name: 'report', task_version_id: 'tvr_1' }],
      next_page_token: null,
    },
  })
  service.answers.submitRun = () => ({ json: { id: run, chatroom_id: room, status: 'queued' } })
  service.answers.readRun = () => ({
    json: {
      ...ended,
      error_code: '',
      exit_code: 0,
      next_action: '',
      queue_position: null,
      eta_seconds: null,
    },
  })
  service.answers.readRunRemarks = () => ({ json: { run_id: run, remarks: [] } })
  service.answers.readRunContent = () => ({ json: { has_output: true, has_log: true } })
  service.answers.readRunOutput = () => ({ broken: '{"total":' })
  expect((await cli('run', 'report', '--room', room, '--watch')).exitCode).toBe(125)
})

test('a command that nothing can continue exits with 1', async () => {
  const never = join(home, 'never.mjs')
  const program = pathToFileURL(join(import.meta.dirname, 'run-program.ts')).href
  const commander = pathToFileURL(createRequire(import.meta.url).resolve('commander')).href
  await writeFile(
    never,
    `import { Command } from '${commander}'
import { runProgram } from '${program}'
const wait = async () => new Command('wait').action(() => new Promise(() => undefined))
await runProgram({ wait }, ['wait'])`,
  )
  const { status, stderr } = spawnSync(process.execPath, [never], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 1, stderr: 'error: The command ended without a result.\n' })
})

test('every command has --json, except the one that runs until it is stopped and the programs of Postgres', async () => {
  const program = new Command('sandbox')
  await addCommands(program, { ...machineCommands, ...clientCommands })
  const leaves = (command: Command): Command[] =>
    command.commands.length === 0 ? [command] : command.commands.flatMap(leaves)
  const without = leaves(program).filter(({ options }) => !options.some(({ long }) => long === '--json'))
  expect(without.map((command) => command.name())).toEqual(['up', 'psql', 'pg_dump'])
})
