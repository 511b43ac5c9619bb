import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ExecutorUnavailable, endedUnbegun, sandboxRuntimes, unbegun } from '../port.ts'
import { shellJob, TestAgent, until } from './test-agent.ts'

/** More input than a start waits for before its program begins. */
const tooMuchAtOnce = 1 << 18

let agent: TestAgent
let empty: string

beforeAll(async () => {
  agent = await TestAgent.start()
  empty = await agent.image()
}, 60_000)
afterAll(() => agent.dispose(), 60_000)

test.each(sandboxRuntimes)(
  'on %s, a run goes on while the agent is killed and started again',
  async (runtime) => {
    const spec = shellJob(empty, 'echo before; sleep 4; echo after; echo 7 > output.json; exit 4', {
      runtime,
    })
    await agent.client.start(spec, Buffer.alloc(0))
    await agent.end('SIGKILL')
    await expect(agent.client.wait(spec.id)).rejects.toBeInstanceOf(ExecutorUnavailable)
    await agent.start()
    await until(async () =>
      (await agent.client.list()).some(({ id, state }) => id === spec.id && state === 'running'),
    )
    expect((await agent.client.capacity()).running).toBe(1)
    const exit = await agent.client.wait(spec.id)
    expect(exit).toMatchObject({ cause: 'exited', exitCode: 4 })
    expect(exit.files.output?.status).toBe('present')
  },
)

test.each(sandboxRuntimes)(
  'on %s, a run that ends while there is no agent keeps its record',
  async (runtime) => {
    const spec = shellJob(empty, 'sleep 0.2; exit 5', { runtime })
    await agent.client.start(spec, Buffer.alloc(0))
    await agent.end('SIGTERM')
    const record = join(agent.dataDir, 'agent/sandboxes', spec.id, 'exit.json')
    await until(async () => (await readFile(record, 'utf8')).trim() !== '')
    await agent.start()
    expect(await agent.client.wait(spec.id)).toMatchObject({ cause: 'exited', exitCode: 5 })
  },
)

test.each(sandboxRuntimes)('on %s, an adopted sandbox can be stopped', async (runtime) => {
  const spec = shellJob(empty, 'sleep 100', { runtime })
  await agent.client.start(spec, Buffer.alloc(0))
  await agent.end('SIGKILL')
  await agent.start()
  await agent.client.stop(spec.id)
  expect(await agent.client.wait(spec.id)).toMatchObject({ cause: 'stopped' })
})

test.each(sandboxRuntimes)(
  'on %s, a sandbox whose shim is killed is lost, with every process and group of it',
  async (runtime) => {
    const spec = shellJob(empty, 'echo last words; sleep 100 & sleep 100', { runtime })
    await agent.client.start(spec, Buffer.alloc(0))
    await until(async () => (await agent.client.logSince(spec.id, 0)).bytes.length > 0)
    process.kill(await agent.shim(spec.id), 'SIGKILL')
    const exit = await agent.client.wait(spec.id)
    const log = { totalBytes: 11, keptBytes: 11 }
    expect(exit).toMatchObject({ cause: 'lost', exitCode: null, log })
    expect(exit.peakMemoryBytes).toBeGreaterThan(0)
    expect(exit.cpuMs).toBeGreaterThan(0)
    expect(await agent.processes(spec.id)).toEqual([])
    expect(await readdir(join('/sys/fs/cgroup/pids', agent.cgroup))).not.toContain(spec.id)
  },
)

test.each(sandboxRuntimes)(
  'on %s, a sandbox whose shim died while there was no agent is settled at the next start',
  async (runtime) => {
    const spec = shellJob(empty, 'sleep 100', { runtime })
    await agent.client.start(spec, Buffer.alloc(0))
    const shim = await agent.shim(spec.id)
    await agent.end('SIGKILL')
    process.kill(shim, 'SIGKILL')
    // Without the agent's help: the sandbox ends with its shim.
    await until(async () => (await agent.processes(spec.id)).length === 0)
    await agent.start()
    expect(await agent.client.wait(spec.id)).toMatchObject({ cause: 'lost' })
  },
)

test.each(sandboxRuntimes)(
  'on %s, a program whose input was cut by the agent’s death is ended',
  async (runtime) => {
    const input = new PassThrough()
    const spec = shellJob(empty, 'cat; echo acted on half of it > output.json', { runtime })
    input.write(Buffer.alloc(tooMuchAtOnce))
    const started = agent.client.start(spec, input)
    const refusal = started.catch((error: unknown) => error)
    await agent.running(spec.id)
    await agent.end('SIGKILL')
    // A start is over when all of its input is in safe hands.
    expect(await refusal).toBeInstanceOf(ExecutorUnavailable)
    input.destroy()
    await agent.start()
    expect(endedUnbegun(await agent.client.wait(spec.id))).toBe(true)
    const again = agent.client.start(spec, Buffer.from('all of it'))
    await expect(again).rejects.toMatchObject({ slug: unbegun })
  },
)

test.each(sandboxRuntimes)(
  'on %s, a program whose usual input was cut never began, whoever died',
  async (runtime) => {
    for (const death of ['sender', 'agent'] as const) {
      const input = new PassThrough()
      const spec = shellJob(empty, 'cat', { runtime })
      input.write('half')
      const started = agent.client.start(spec, input)
      const refusal = started.then(
        () => undefined,
        (error: unknown) => error,
      )
      await until(async () => (await agent.client.list()).some(({ id }) => id === spec.id))
      if (death === 'sender') input.destroy(new Error('gone'))
      else await agent.end('SIGKILL')
      expect(await refusal).toBeInstanceOf(Error)
      input.destroy()
      if (death === 'agent') await agent.start()
      expect(await agent.client.forbid(spec.id), `death of the ${death}`).toBe(true)
    }
  },
)

test('what starts sandboxes is started again when it was killed, and nothing that runs notices', async () => {
  const before = shellJob(empty, 'cat; sleep 100')
  await agent.client.start(before, Buffer.alloc(0))
  process.kill(await agent.spawner(), 'SIGKILL')
  const after = shellJob(empty, 'echo still')
  expect((await agent.run(after)).log).toBe('still\n')
  await agent.client.stop(before.id)
  expect(await agent.client.wait(before.id)).toMatchObject({ cause: 'stopped' })
})

test('a second agent on the same data folder says so', async () => {
  await expect(agent.sibling().start()).rejects.toThrow(/already runs on this data folder/)
})

test('what former agents kept of forbidden and removed ids holds for this one, which keeps it in its own form', async () => {
  const [forbidden, removed] = [shellJob(empty, 'true'), shellJob(empty, 'true')]
  await agent.end('SIGKILL')
  const folder = join(agent.dataDir, 'agent/sandboxes', forbidden.id)
  await mkdir(folder)
  await writeFile(join(folder, 'forbidden'), '')
  await mkdir(join(agent.dataDir, 'agent/removed'))
  await writeFile(join(agent.dataDir, 'agent/removed', removed.id), '')
  await agent.start()
  for (let starts = 0; starts < 2; starts += 1) {
    const start = (spec: typeof forbidden) => agent.client.start(spec, Buffer.alloc(0))
    await expect(start(forbidden)).rejects.toMatchObject({ slug: 'forbidden' })
    await expect(start(removed)).rejects.toMatchObject({ slug: 'removed' })
    expect(await agent.client.forbid(forbidden.id)).toBe(true)
    expect(await agent.client.forbid(removed.id)).toBe(false)
    await until(async () => !(await readdir(join(agent.dataDir, 'agent'))).includes('removed'))
    expect(await agent.folders()).not.toContain(forbidden.id)
    await agent.end('SIGKILL')
    await agent.start()
  }
})
