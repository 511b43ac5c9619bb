import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sleep } from '../../../server/base/clock.ts'
import { shellJob, TestAgent } from '../../../testing/agent/test-agent.ts'
import type { SandboxSpec } from '../../port/sandbox-spec.ts'
import { inputOf } from '../../port/start-input.ts'

/*
 * Every disk write of the agent fails once: half of it is done, and it returns an error. Then the agent is killed, and the next
 * one, with a working disk, must start nothing twice and nothing that was forbidden.
 */
let folder: string
let control: string
let agent: TestAgent
let empty: string
let arms = 0

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'failing-'))
  control = join(folder, 'control')
  const program = pathToFileURL(join(import.meta.dirname, '../../../testing/agent/failing-files.ts'))
  program.search = encodeURIComponent(control)
  agent = await TestAgent.start({ NODE_OPTIONS: `--import=${program.href}`, SANDBOX_WARM_SANDBOXES: '2' })
  empty = await agent.image()
})
afterAll(async () => {
  await agent.dispose()
  await rm(folder, { recursive: true })
})

/** Makes the agent's disk write of that number fail. */
async function arm(change: number): Promise<void> {
  arms += 1
  await rm(`${control}.failed`, { force: true })
  await writeFile(control, `${change} ${arms}`)
}

const disarm = () => rm(control)

const failedChange = () => readFile(`${control}.failed`, 'utf8').catch(() => undefined)

async function logOf(id: string): Promise<string> {
  try {
    return (await buffer(await agent.client.log(id))).toString('utf8')
  } catch {
    return ''
  }
}

/** The result of a call; undefined if it failed. */
const outcome = <Value>(call: Promise<Value>): Promise<Value | undefined> => call.catch(() => undefined)

const start = (spec: SandboxSpec, input: string) =>
  agent.client.start(spec, inputOf(Buffer.from(input))).then(
    () => 'started',
    (error: { slug?: string }) => error.slug ?? 'failed',
  )

/** Whether the sandbox has run with `input`, which it prints. */
async function hasRun(spec: SandboxSpec, input: string): Promise<boolean> {
  if (!(await agent.client.list()).some(({ id }) => id === spec.id)) return false
  await outcome(agent.client.wait(spec.id))
  return (await logOf(spec.id)).includes(input)
}

const job = () => shellJob(empty, 'cat')

/** Waits for a warm sandbox, up to two seconds: making it may have failed. */
async function warmOrNot(): Promise<void> {
  const isDecided = async () => (await agent.warm()).length > 0 || (await failedChange()) !== undefined
  for (let looks = 0; looks < 200 && !(await isDecided()); looks += 1) await sleep(10)
}

/** Uses every operation that writes to the agent's disk. `removed` has run and was removed, if nothing failed. */
async function live() {
  const [forbidden, removed, ended, warm] = [job(), job(), job(), job()]
  const isForbidden =
    (await outcome(agent.client.forbid(forbidden.id))) ?? (await agent.client.forbid(forbidden.id))
  await start(removed, 'one')
  const hasRemovedRun = await hasRun(removed, 'one')
  await outcome(agent.client.remove(removed.id))
  await start(ended, 'one')
  const hasEndedRun = await hasRun(ended, 'one')
  await warmOrNot()
  await start(warm, 'one')
  const ran = [hasRemovedRun, hasEndedRun, await hasRun(warm, 'one')]
  return {
    forbidden,
    isForbidden,
    started: [removed, ended, warm].map((spec, at) => ({ spec, ran: ran[at] })),
  }
}

async function hold({ forbidden, isForbidden, started }: Awaited<ReturnType<typeof live>>): Promise<void> {
  expect(isForbidden).toBe(true)
  expect(await start(forbidden, 'two')).toBe('forbidden')
  expect(await agent.client.forbid(forbidden.id)).toBe(true)
  // A failure costs one start, not every one that follows.
  expect(started.filter(({ ran }) => !ran).length).toBeLessThanOrEqual(1)
  for (const { spec } of started.filter(({ ran }) => ran)) {
    await start(spec, 'two')
    expect(await hasRun(spec, 'two')).toBe(false)
    expect(await agent.client.forbid(spec.id)).toBe(false)
    // Every later agent reads the records of what is left.
    await agent.client.remove(spec.id)
  }
}

test('if any disk write fails, no forbidden id starts and no id starts twice', async () => {
  const failed: string[] = []
  for (let change = 1; ; change += 1) {
    await arm(change)
    const lived = await live()
    const name = await failedChange()
    await disarm()
    await agent.end('SIGKILL')
    await agent.start()
    await hold(lived)
    if (name === undefined) break
    failed.push(name)
  }
  for (const name of ['mkdirSync', 'writeFileSync', 'write', 'datasync']) expect(failed).toContain(name)
}, 1_200_000)
