import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SandboxSpec } from '../../port.ts'
import { shellJob, type TestAgent, until } from '../test-agent.ts'
import { beyond } from './fake-internet.ts'
import { type ResolvingAgent, startResolvingAgent } from './resolving-agent.ts'

/* What one company's look-ups leave to the others'. */

let machineOfAgent: ResolvingAgent
let agent: TestAgent
let image: string

beforeAll(async () => {
  machineOfAgent = await startResolvingAgent([], { SANDBOX_RUN_SLOTS: '20' })
  agent = machineOfAgent.agent
  const program = join(machineOfAgent.folder, 'questions')
  await agent.onHost('cc', '-O2', '-static', '-o', program, join(import.meta.dirname, 'questions.c'))
  image = await agent.image([[{ name: 'questions', mode: 0o755 }, await readFile(program)]])
}, 60_000)
afterAll(() => machineOfAgent.dispose(), 60_000)

const publicName = `${Buffer.from(beyond.ip4.split('.').map(Number)).toString('hex')}.test`
const [loud, quiet] = [7, 8]

const job = (owner: number, script: string, vcpu = 1): SandboxSpec => ({
  ...shellJob(image, script, { timeoutMs: 120_000, vcpu }),
  network: { egressCapBytes: 1024 ** 3 },
  owner,
})

/** Runs `scripts` as the jobs of one company, and calls `work` when all of them are at it. */
async function beside<T>(scripts: string[], work: () => Promise<T>): Promise<T> {
  const specs = scripts.map((script) => job(loud, `echo at it; ${script}`, 0.1))
  await Promise.all(specs.map((spec) => agent.client.start(spec, Buffer.alloc(0))))
  try {
    for (const { id } of specs) await until(async () => (await agent.client.logSince(id, 0)).bytes.length > 0)
    return await work()
  } finally {
    for (const { id } of specs) await agent.client.stop(id)
    for (const { id } of specs) await agent.client.wait(id)
  }
}

async function ask(owner: number, count: number, name: string) {
  const { log } = await agent.run(job(owner, `/questions ask ${count} ${name}`))
  const told = /^answered (\d+) soon (\d+) slowest ([\d.]+) refused (\d+)$/m.exec(log) ?? []
  const [answered, soon, slowestMs, refused] = told.slice(1).map(Number)
  return { answered, soon, slowestMs, refused }
}

const times = <T>(count: number, of: T): T[] => Array.from({ length: count }, () => of)

test('jobs of one company that ask for names of silent servers leave every answer to another', async () => {
  const found = await beside(times(12, '/questions flood 100 silent.test'), () => ask(quiet, 100, publicName))
  console.log('beside 12 links that ask for silent names:', found)
  expect(found.answered).toBe(100)
}, 120_000)

test('a flood of datagrams loses nobody else a question', async () => {
  const found = await beside(times(3, '/questions noise 100'), () => ask(quiet, 100, publicName))
  console.log('beside 3 floods of datagrams:', found)
  expect(found.answered).toBe(100)
}, 120_000)

test('streams that are held open leave places to another', async () => {
  const held = times(17, '/questions streams 100 4')
  const ask = `printf '\\000\\037\\022\\064\\001\\000\\000\\001\\000\\000\\000\\000\\000\\000\\01008080808\\004test\\000\\000\\001\\000\\001'`
  const script = `(${ask}; sleep 1) | timeout 10 nc 198.18.0.1 53 | tail -c 4 | hexdump -e '4/1 "%d."'`
  const { log } = await beside(held, () => agent.run(job(quiet, script)))
  expect(log).toBe('8.8.8.8.')
}, 120_000)

test('a company that asks again for a name that nobody answered is refused at once, and another is not', async () => {
  // Each question waits 5 s for its answer; the resolver gives the first one up after 6.
  expect(await ask(loud, 3, 'once.silent.test')).toMatchObject({ answered: 0, refused: 1 })
  expect(await ask(quiet, 1, 'once.silent.test')).toMatchObject({ answered: 0, refused: 0 })
}, 60_000)
