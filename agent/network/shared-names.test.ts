import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { publicHosts } from '../../testing/agent/internet/fake-internet.ts'
import { type ResolvingAgent, startResolvingAgent } from '../../testing/agent/internet/resolving-agent.ts'
import { shellJob, type TestAgent, waitUntil } from '../../testing/agent/test-agent.ts'
import { noInput } from '../../testing/no-input.ts'
import type { SandboxSpec } from '../port/sandbox-spec.ts'

/* Name lookups of one company must not starve those of others. */

let machineOfAgent: ResolvingAgent
let agent: TestAgent
let image: string

beforeAll(async () => {
  machineOfAgent = await startResolvingAgent([], { SANDBOX_RUN_SLOTS: '20' })
  agent = machineOfAgent.agent
  const program = join(machineOfAgent.folder, 'questions')
  await agent.onHost(
    'cc',
    '-O2',
    '-static',
    '-o',
    program,
    join(import.meta.dirname, '../../testing/agent/internet/questions.c'),
  )
  image = await agent.image([[{ name: 'questions', mode: 0o755 }, await readFile(program)]])
})
afterAll(() => machineOfAgent.dispose())

const publicName = `${Buffer.from(publicHosts.ip4.split('.').map(Number)).toString('hex')}.test`
const [loud, quiet] = [7, 8]

const job = (owner: number, script: string, vcpu = 1): SandboxSpec => ({
  ...shellJob(image, script, { timeoutMs: 120_000, vcpu }),
  network: { egressCapBytes: 1024 ** 3 },
  owner,
})

/** Runs `scripts` as the jobs of one company, and calls `work` when all of them are busy. */
async function withNoise<T>(scripts: string[], work: () => Promise<T>): Promise<T> {
  const specs = scripts.map((script) => job(loud, `echo busy; ${script}`, 0.1))
  await Promise.all(specs.map((spec) => agent.client.start(spec, noInput)))
  try {
    for (const { id } of specs)
      await waitUntil(async () => (await agent.client.logSince(id, 0)).bytes.length > 0)
    return await work()
  } finally {
    for (const { id } of specs) await agent.client.stop(id)
    for (const { id } of specs) await agent.client.wait(id)
  }
}

async function ask(owner: number, count: number, name: string) {
  const { log } = await agent.run(job(owner, `/questions ask ${count} ${name}`))
  const counts = /^answered (\d+) soon (\d+) slowest ([\d.]+) refused (\d+)$/m.exec(log) ?? []
  const [answered, soon, slowestMs, refused] = counts.slice(1).map(Number)
  return { answered, soon, slowestMs, refused }
}

const times = <T>(count: number, of: T): T[] => Array.from({ length: count }, () => of)

test('jobs of one company that query silent servers cost another company no answer', async () => {
  const found = await withNoise(times(12, '/questions flood 100 silent.test'), () =>
    ask(quiet, 100, publicName),
  )
  console.log('with 12 links that query silent names:', found)
  expect(found.answered).toBe(100)
})

test('a flood of datagrams loses no query of another company', async () => {
  const found = await withNoise(times(3, '/questions noise 100'), () => ask(quiet, 100, publicName))
  console.log('with 3 floods of datagrams:', found)
  expect(found.answered).toBe(100)
})

test('streams that are held open leave slots to another company', async () => {
  const held = times(17, '/questions streams 100 4')
  const ask = `printf '\\000\\037\\022\\064\\001\\000\\000\\001\\000\\000\\000\\000\\000\\000\\01008080808\\004test\\000\\000\\001\\000\\001'`
  const script = `(${ask}; sleep 1) | timeout 10 nc 198.18.0.1 53 | tail -c 4 | hexdump -e '4/1 "%d."'`
  const { log } = await withNoise(held, () => agent.run(job(quiet, script)))
  expect(log).toBe('8.8.8.8.')
})

test('a company that repeats an unanswered query is refused at once, and another company is not', async () => {
  // Each question waits 5 s for its answer; the resolver gives the first one up after 6.
  expect(await ask(loud, 3, 'once.silent.test')).toMatchObject({ answered: 0, refused: 1 })
  expect(await ask(quiet, 1, 'once.silent.test')).toMatchObject({ answered: 0, refused: 0 })
})
