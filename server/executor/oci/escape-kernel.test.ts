import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shellJob, TestAgent } from './test-agent.ts'

const run = promisify(execFile)
let agent: TestAgent
let image: string

beforeAll(async () => {
  agent = await TestAgent.start()
  const folder = await mkdtemp(join(tmpdir(), 'escape-'))
  const program = join(folder, 'attempts')
  await run('cc', ['-static', '-O1', '-Wall', '-o', program, join(import.meta.dirname, 'escape-attempts.c')])
  image = await agent.image([[{ name: 'attempts', mode: 0o755 }, await readFile(program)]])
  await rm(folder, { recursive: true })
}, 60_000)
afterAll(() => agent.dispose(), 60_000)

async function attempts(confinement: 'job' | 'build'): Promise<Record<string, string>> {
  const spec = { ...shellJob(image, '', { openFiles: 2048 }), argv: ['/attempts'], confinement }
  const { exit, log } = await agent.run(spec)
  expect(exit, log).toMatchObject({ cause: 'exited', exitCode: 0 })
  const lines = log.trim().split('\n')
  return Object.fromEntries(lines.map((line) => [line.split(' ')[0], line.slice(line.indexOf(' ') + 1)]))
}

const usual = ['usual_pair', 'usual_tcp', 'usual_udp', 'usual_route', 'usual_limit', 'usual_file']
const usualGot = Object.fromEntries(usual.map((name) => [name, 'got']))
const got = (told: Record<string, string>) =>
  Object.keys(told).filter((name) => told[name] === 'got' && !usual.includes(name))

/** Of what is counted for the host's root too, a sandbox gets a small part. */
function expectSmallPart(told: Record<string, string>): void {
  expect(Number(told.signals_queued)).toBeLessThanOrEqual(1024)
  expect(Number(told.queues_made)).toBeLessThan(2)
  expect(told.core_limit).toBe('1 1')
}

test('a job gets nothing that it tries on the kernel, and everything usual', async () => {
  const told = await attempts('job')
  expect(got(told)).toEqual([])
  expect(told).toMatchObject(usualGot)
  expectSmallPart(told)
})

test('a build may mount inside its own namespaces, and gets nothing else', async () => {
  const told = await attempts('build')
  expect(got(told)).toEqual(['mount'])
  expect(told).toMatchObject(usualGot)
  expectSmallPart(told)
})
