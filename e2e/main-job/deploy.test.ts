import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCli } from '../../cli/testing/run-cli.ts'
import type { Service } from './service.ts'
import { openService } from './shared-service.ts'

/* Deployments that fail, and what they leave. A file of its own: a company may start five uploads a minute. */

let service: Service
let home: string

beforeAll(async () => {
  service = await openService()
  home = await mkdtemp(join(tmpdir(), 'deploy-'))
  const { url, user, password } = service
  const login = await sandbox(['login', '--url', url, '--user', user], { SANDBOX_PASSWORD: password })
  if (login.exitCode !== 0) throw new Error(login.stderr)
})
afterAll(async () => {
  await service?.stop()
  await rm(home, { recursive: true, force: true })
})

const sandbox = (args: string[], env: Record<string, string> = {}) => runCli(args, { home, env })

const init = async (name: string) => {
  const made = await sandbox(['init', name, '--template', 'shell', '--room', 'daily-numbers'])
  expect(made).toMatchObject({ exitCode: 0, stderr: '' })
  return join(home, name)
}
const result = async (name: string) => {
  const watched = await sandbox([
    'run',
    name,
    '--room',
    'daily-numbers',
    '--input',
    `${name}/input.json`,
    '--watch',
  ])
  expect(watched).toMatchObject({ exitCode: 0 })
  return JSON.parse(watched.stdout) as unknown
}

test('a deployment that fails says what is done and what is not, and goes on from there', async () => {
  const folder = await init('mistakes')
  const dockerfile = await readFile(join(folder, 'image/Dockerfile'), 'utf8')
  await writeFile(join(folder, 'image/Dockerfile'), dockerfile.replace('FROM', 'FORM'))
  const misspelt = await sandbox(['deploy', 'mistakes'])
  expect(misspelt.exitCode).toBe(1)
  expect(misspelt.stderr).toContain('Did you mean FROM?')
  expect(misspelt.stderr).toContain('not done: build the environment\n  not done: publish the task')

  await writeFile(join(folder, 'image/Dockerfile'), dockerfile)
  const taskFile = await readFile(join(folder, 'task.yaml'), 'utf8')
  await writeFile(join(folder, 'task.yaml'), taskFile.replace('type: object', 'type: objekt'))
  const noSchema = await sandbox(['deploy', 'mistakes'])
  expect(noSchema.stderr).toContain('job_contract_invalid')
  expect(noSchema.stderr).toMatch(/done: mistakes version 2 is ready\n {2}not done: publish the task/)

  await writeFile(join(folder, 'task.yaml'), taskFile)
  expect((await sandbox(['deploy', 'mistakes'])).exitCode).toBe(0)
  expect(await result('mistakes')).toEqual({ words: 3 })
  await writeFile(join(folder, 'input.json'), '{ "tekst": "one" }')
  const refused = await sandbox([
    'run',
    'mistakes',
    '--room',
    'daily-numbers',
    '--input',
    'mistakes/input.json',
  ])
  expect(refused.stderr).toMatch(
    /tekst is not known here \(did you mean text\?\).*for example: \{"text":"one two three"\}/s,
  )
})

test('a pushed environment names the tasks that still run its old version', async () => {
  await init('older')
  expect(await sandbox(['deploy', 'older'])).toMatchObject({ exitCode: 0 })
  await writeFile(join(home, 'older/image/more'), 'x')
  const pushed = await sandbox(['env', 'push', 'older/image', '--name', 'older'])
  expect(pushed.stderr).not.toContain('error:')
  expect(pushed.stdout).toMatch(
    /is ready: .*\nStill on an earlier version, until they are published again:\n {2}older \(tsk_/,
  )
})
