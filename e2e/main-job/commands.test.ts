import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCli } from '../../cli/testing/run-cli.ts'
import type { Service } from './service.ts'
import { openService } from './shared-service.ts'

/* Commands on a service, one after another, as the people of a company type them. */

const room = ['--room', 'daily-numbers']

let service: Service
let home: string

beforeAll(async () => {
  service = await openService()
  home = await mkdtemp(join(tmpdir(), 'commands-'))
  const { url, user, password } = service
  await must(['login', '--url', url, '--user', user], { SANDBOX_PASSWORD: password })
  await must(['init', 'words', '--template', 'shell', ...room])
  await must(['deploy', 'words'])
})
afterAll(async () => {
  await service?.stop()
  await rm(home, { recursive: true, force: true })
})

const sandbox = (args: string[], env: Record<string, string> = {}) => runCli(args, { home, env })

/** Standard output of a command that succeeds. */
async function must(args: string[], env: Record<string, string> = {}): Promise<string> {
  const result = await sandbox(args, env)
  expect(result, args.join(' ')).toMatchObject({ exitCode: 0 })
  return result.stdout
}
const json = async <T>(...args: string[]): Promise<T> => JSON.parse(await must([...args, '--json'])) as T

interface Run {
  id: string
}
const newestRun = async () => (await json<{ items: Run[] }>('runs', ...room)).items[0]?.id ?? ''

test('a run is retried with its own input and with another, and a script runs without a task', async () => {
  expect(await must(['run', 'words', ...room, '--set', 'text=a b', '--watch'])).toBe('{"words":2}')
  const first = await newestRun()
  expect(await must(['retry', first, '--watch'])).toBe('{"words":2}')
  expect(await must(['retry', first, '--input', '{"text":"one"}', '--watch'])).toBe('{"words":1}')
  await writeFile(join(home, 'quick.sh'), 'echo "nothing to tell"\n')
  const quick = await sandbox(['quick-run', 'quick.sh', ...room, '--env', 'words', '--watch'])
  expect(quick).toMatchObject({ exitCode: 0, stdout: '' })
  expect(quick.stderr).toMatch(/nothing to tell\n.*The run wrote no output/s)
})

test('a result is shared as a page, listed and revoked', async () => {
  await must(['run', 'words', ...room, '--set', 'text=a b', '--watch'])
  const run = await newestRun()
  const page = (await must(['links', run, '--share', '--expires', '3600'])).trim()
  expect(await (await fetch(page)).text()).toContain('words')
  const { items } = await json<{ items: { id: string; url: string }[] }>('links', run, '--list')
  expect(items).toMatchObject([{ url: page }])
  await must(['links', run, '--revoke', items[0]?.id ?? ''])
  expect((await fetch(page)).status).toBe(404)
})

test('a task leaves the menu and returns, and a share ends and begins again', async () => {
  const menu = async () => (await json<{ items: { task_name: string }[] }>('menu', ...room)).items
  await must(['disable', 'words', ...room])
  expect(await menu()).toEqual([])
  await must(['enable', 'words', ...room])
  expect(await menu()).toMatchObject([{ task_name: 'words' }])
  await must(['unshare', 'words', ...room, '--reason', 'a try'])
  expect(await menu()).toEqual([])
  await must(['share', 'words', ...room])
  await must(['enable', 'words', ...room])
  expect(await menu()).toMatchObject([{ task_name: 'words' }])
  expect(await must(['menu', 'words', ...room])).toContain('Counts the words of a text.')
})

test('the company, its tasks and its environments are listed', async () => {
  expect(await must(['task', 'list'])).toMatch(/^words .* active /m)
  expect(await must(['task', 'show', 'words'])).toMatch(/SHARED WITH.*room/s)
  expect(await must(['env', 'versions', 'words'])).toMatch(/^1 \(current\) /m)
  expect(await must(['users'])).toMatch(/^ada-\w+ .*company administrator/m)
  expect(await must(['companies'])).toContain('daily-numbers')
})

test('a key runs tasks in its room, reads only its own runs, and ends when it is revoked', async () => {
  const others = await newestRun()
  const { api_key: SANDBOX_API_KEY } = await json<{ api_key: string }>('keys', 'create', 'plug-in', ...room)
  const cid = (await json<{ items: { id: string; name: string }[] }>('rooms')).items.find(
    ({ name }) => name === 'daily-numbers',
  )?.id
  // A home of its own, without the login.
  const env = { SANDBOX_API_KEY, SANDBOX_URL: service.url, SANDBOX_CLI_CONFIG: join(home, 'none.json') }
  const words = ['run', 'words', '--room', cid ?? '', '--set', 'text=a', '--watch']
  expect(await must(words, env)).toBe('{"words":1}')
  const refused = await sandbox(['output', others, '--room', cid ?? ''], env)
  expect(refused).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringContaining('Not found') })
  expect(await must(['keys', 'list'])).toContain('plug-in')
  await must(['keys', 'revoke', 'plug-in'])
  expect((await sandbox(words, env)).exitCode).toBe(125)
})

test('an environment and its task are taken out of use', async () => {
  await must(['task', 'archive', 'words'])
  expect((await sandbox(['run', 'words', ...room])).exitCode).toBe(1)
  await must(['env', 'archive', 'words'])
  expect(await must(['env', 'list'])).not.toMatch(/^words .*active/m)
})
