import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { packCli } from '@sandbox-jobs/server/main/pack-cli.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type FakeService, fakeService } from './testing/fake-service.ts'
import { clientNodes, runCli } from './testing/run-cli.ts'

const room = `roo_${'1'.repeat(32)}`
const run = `run_${'2'.repeat(32)}`

let folder: string
let home: string
let file: string
let service: FakeService

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'packed-cli-'))
  file = join(folder, 'sandbox')
  await packCli(resolve(import.meta.dirname, '..'), file)
  service = await fakeService()
  const page = (item: unknown) => ({ json: { items: [item], page_size: 100, next_page_token: null } })
  const ended = { id: run, chatroom_id: room, status: 'completed', error_code: '', exit_code: 0 }
  const shown = {
    next_action: '',
    queue_position: null,
    eta_seconds: null,
    terminal_at: '2026-01-01T00:00:00Z',
  }
  Object.assign(service.answers, {
    createToken: () => ({ json: { access_token: 'jwt', token_type: 'bearer', expires_in: 600 } }),
    listOwnChatrooms: () =>
      page({ id: room, name: 'daily', department_id: 'dep_1', department_name: 'Sales', manages: true }),
    readMenu: () => page({ task_id: 'tsk_1', task_name: 'report', task_version_id: 'tvr_1' }),
    submitRun: () => ({ json: { ...ended, status: 'queued' } }),
    readRun: () => ({ json: { ...ended, ...shown } }),
    readRunRemarks: () => ({ json: { run_id: run, remarks: [] } }),
    readRunContent: () => ({ json: { has_output: true, has_log: true } }),
    readRunOutput: () => ({ bytes: '{"total":1}\n' }),
  } satisfies FakeService['answers'])
})
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})
beforeEach(() => {
  home = mkdtempSync(join(folder, 'home-'))
})

describe.each(clientNodes)('on %s', (node) => {
  const cli = (args: string[], stdin = '') => runCli(args, { home, stdin, program: [node, file] })

  test('a login, a list and a watched run work in an empty folder', async () => {
    const login = await cli(['login', '--url', service.url, '--user', 'ada'], 'secret\n')
    expect(login).toMatchObject({ exitCode: 0, stderr: '' })
    expect((await cli(['rooms', '--json'])).stdout).toContain('"daily"')
    const watched = await cli(['run', 'report', '--room', 'daily', '--watch'])
    expect(watched).toMatchObject({ exitCode: 0, stdout: '{"total":1}\n' })
  })

  test('every command and every option is there', async () => {
    const help = await cli(['--help'])
    const checkout = await runCli(['--help'], { home })
    const names = ({ stdout }: { stdout: string }) => stdout.match(/^ {2}[a-z-]+(?= )/gm)?.toSorted()
    expect(names(help)).toEqual(names(checkout))
    expect(await cli(['task', 'publish', '--help'])).toMatchObject({ exitCode: 0 })
  })

  test('an operator command says where it works', async () => {
    for (const words of [['up'], ['operator', 'block', '--list'], ['admin', 'apply', 'x.yaml']]) {
      const { exitCode, stderr } = await cli(words)
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('on the machine of the service')])
    }
  })
})

test('a Node that cannot unpack layers does not call an image damaged', async () => {
  const [oldest = '', newest = ''] = clientNodes
  const licence = resolve(import.meta.dirname, '../LICENSE')
  const verify = (node: string) =>
    runCli(['verify', folder, '--key', licence], { home, program: [node, file] })
  expect(await verify(oldest)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('Node 22.15') })
  expect(await verify(newest)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('no public key'),
  })
})

test('the file also runs where Node takes it for a module', async () => {
  const around = join(folder, 'module')
  mkdirSync(around)
  writeFileSync(join(around, 'package.json'), '{"type":"module"}')
  writeFileSync(join(around, 'sandbox'), readFileSync(file))
  const program: [string, ...string[]] = [process.execPath, join(around, 'sandbox')]
  expect(await runCli(['--version'], { home, program })).toMatchObject({ exitCode: 0, stderr: '' })
})

test('the licence of every packed package is in the file', () => {
  const text = readFileSync(file, 'utf8')
  for (const name of ['Sandbox Jobs', 'commander', 'tar-stream', 'typebox', 'yaml']) {
    expect(text, name).toMatch(new RegExp(`^${name}\n\n`, 'm'))
  }
})

test('the same program makes the same file', async () => {
  const again = join(folder, 'again')
  await packCli(resolve(import.meta.dirname, '..'), again)
  expect(readFileSync(again).equals(readFileSync(file))).toBe(true)
})
