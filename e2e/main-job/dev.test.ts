import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCli } from '../../cli/testing/run-cli.ts'
import { eventually } from '../../testing/eventually.ts'
import { minimalEnvironment, type Service, sandboxProgram } from './service.ts'
import { openService } from './shared-service.ts'

let service: Service
let home: string

beforeAll(async () => {
  service = await openService()
  home = await mkdtemp(join(tmpdir(), 'dev-'))
  const { url, user, password: SANDBOX_PASSWORD } = service
  const login = ['login', '--url', url, '--user', user]
  const init = ['init', 'dev', '--template', 'shell', '--room', 'daily-numbers']
  for (const args of [login, init]) {
    const { exitCode, stderr } = await runCli(args, { home, env: { SANDBOX_PASSWORD } })
    if (exitCode !== 0) throw new Error(stderr)
  }
})
afterAll(async () => {
  await service?.stop()
  await rm(home, { recursive: true, force: true })
})

/** `sandbox dev` and what it has printed so far. */
function dev() {
  const env = { ...minimalEnvironment(), SANDBOX_CLI_CONFIG: join(home, 'credentials.json') }
  const child = spawn(sandboxProgram, ['dev', 'dev'], { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = { out: '', err: '' }
  child.stdout.on('data', (chunk: Buffer) => {
    said.out += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    said.err += chunk.toString()
  })
  const ended = once(child, 'close')
  const until = (stream: 'out' | 'err', wanted: RegExp) =>
    eventually(() => expect(said[stream], said.err).toMatch(wanted))
  return { child, ended, until, said }
}

test('each save leads to log and output of a new run, and cancels the one under way', async () => {
  const { child, ended, until, said } = dev()
  const file = (name: string) => join(home, 'dev', name)
  await until('out', /{"words":3}/)
  expect(said.err).toContain('counting 3 words')
  await until('err', /Waiting for a file to be saved/)

  await writeFile(file('input.json'), '{ "text": "one two three four" }')
  await until('out', /{"words":4}/)

  await writeFile(file('work.sh'), 'echo slow job; sleep 600\n')
  await until('err', /slow job/)
  await writeFile(file('work.sh'), 'echo nothing to tell\n')
  await until('err', /run cancelled .*nothing to tell.*The run wrote no output/s)

  const dockerfile = await readFile(file('image/Dockerfile'), 'utf8')
  await writeFile(file('image/Dockerfile'), dockerfile.replace('FROM', 'FORM'))
  await until('err', /Did you mean FROM\?.*not done: publish the task/s)
  await writeFile(file('image/Dockerfile'), dockerfile)
  await writeFile(file('work.sh'), 'sleep 600 & echo last job; wait\n')
  await until('err', /last job/)
  child.kill('SIGINT')
  await ended
  expect(child.exitCode).toBe(130)
  const runs = await runCli(['runs', '--room', 'daily-numbers', '--json'], { home })
  const { items } = JSON.parse(runs.stdout) as { items: { status: string }[] }
  expect(items[0]?.status).toBe('cancelled')
})
