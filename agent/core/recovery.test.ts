import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sleep } from '../../server/base/clock.ts'
import { shellJob, TestAgent, waitUntil } from '../../testing/agent/test-agent.ts'
import { noInput } from '../../testing/no-input.ts'
import { detectCgroups } from '../host/cgroup-layout.ts'
import { shimCgroups } from '../host/shim-cgroups.ts'
import { ExecutorUnavailable, SandboxUnknown } from '../port/errors.ts'
import { neverStarted } from '../port/refusal-causes.ts'
import { programNeverStarted } from '../port/sandbox-exit.ts'
import { type SandboxRuntime, type SandboxSpec, sandboxRuntimes } from '../port/sandbox-spec.ts'
import { inputOf } from '../port/start-input.ts'
import { writeStartRecord } from './records/start-record.ts'

/** More input than a start waits for before its program starts. */
const tooMuchAtOnce = 1 << 18

let agent: TestAgent
let empty: string

beforeAll(async () => {
  agent = await TestAgent.start()
  empty = await agent.image()
})
afterAll(() => agent.dispose())

/** Starts a run that lasts so long and the next agent; the state in which that agent first shows the run. */
async function runBesideRestart(runtime: SandboxRuntime, seconds: number) {
  const spec = shellJob(empty, `echo before; sleep ${seconds}; echo after; echo 7 > output.json; exit 4`, {
    runtime,
    timeoutMs: 300_000,
  })
  await agent.client.start(spec, noInput)
  await agent.end('SIGKILL')
  await expect(agent.client.wait(spec.id)).rejects.toBeInstanceOf(ExecutorUnavailable)
  await agent.start()
  let state: string | undefined
  await waitUntil(async () => {
    state = (await agent.client.list()).find(({ id }) => id === spec.id)?.state
    return state === 'running' || state === 'exited'
  })
  return { id: spec.id, state }
}

test.each(sandboxRuntimes)(
  'on %s, a run continues while the agent is killed and restarted',
  async (runtime) => {
    let run = await runBesideRestart(runtime, 4)
    // A busy machine may start the agent in a longer time.
    if (run.state === 'exited') run = await runBesideRestart(runtime, 60)
    expect(run.state).toBe('running')
    expect((await agent.client.capacity()).running).toBe(1)
    const exit = await agent.client.wait(run.id)
    expect(exit).toMatchObject({ cause: 'exited', exitCode: 4 })
    expect(exit.files.output?.status).toBe('present')
  },
)

test.each(sandboxRuntimes)(
  'on %s, a run that ends while there is no agent has its exit record',
  async (runtime) => {
    const spec = shellJob(empty, 'sleep 0.2; exit 5', { runtime })
    await agent.client.start(spec, noInput)
    await agent.end('SIGTERM')
    const record = join(agent.dataDir, 'agent/sandboxes', spec.id, 'exit.json')
    await waitUntil(async () => (await readFile(record, 'utf8')).trim() !== '')
    await agent.start()
    expect(await agent.client.wait(spec.id)).toMatchObject({ cause: 'exited', exitCode: 5 })
  },
)

test.each(sandboxRuntimes)('on %s, an adopted sandbox can be stopped', async (runtime) => {
  const spec = shellJob(empty, 'sleep 100', { runtime })
  await agent.client.start(spec, noInput)
  await agent.end('SIGKILL')
  await agent.start()
  await agent.client.stop(spec.id)
  expect(await agent.client.wait(spec.id)).toMatchObject({ cause: 'stopped' })
})

/** Makes the exit record of a running sandbox impossible to write. */
async function spoilRecord(id: string): Promise<void> {
  const folder = join(agent.dataDir, 'agent/sandboxes', await agent.nameOf(id))
  await mkdir(join(folder, 'exit.tmp'))
}

test('a sandbox whose end cannot be recorded ends neither the agent nor the start of the next one', async () => {
  const [first, second] = [shellJob(empty, 'sleep 101'), shellJob(empty, 'sleep 102')]
  for (const spec of [first, second]) {
    await agent.client.start(spec, noInput)
    await spoilRecord(spec.id)
  }
  process.kill(await agent.shim(first.id), 'SIGKILL')
  await expect(agent.client.wait(first.id)).rejects.toBeInstanceOf(SandboxUnknown)
  const shim = await agent.shim(second.id)
  await agent.end('SIGKILL')
  process.kill(shim, 'SIGKILL')
  await agent.start()
  for (const { id } of [first, second]) {
    await expect(agent.client.wait(id)).rejects.toBeInstanceOf(SandboxUnknown)
    expect(await agent.client.forbid(id)).toBe(false)
    await agent.client.remove(id)
  }
  expect((await agent.client.capacity()).running).toBe(0)
})

test.each(sandboxRuntimes)(
  'on %s, a sandbox whose shim is killed is lost, and its processes and groups are removed',
  async (runtime) => {
    const spec = shellJob(empty, 'echo last words; sleep 100 & sleep 100', { runtime })
    await agent.client.start(spec, noInput)
    await waitUntil(async () => (await agent.client.logSince(spec.id, 0)).bytes.length > 0)
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
  'on %s, the next agent records a sandbox whose shim died while there was no agent',
  async (runtime) => {
    const spec = shellJob(empty, 'sleep 100', { runtime })
    await agent.client.start(spec, noInput)
    const shim = await agent.shim(spec.id)
    await agent.end('SIGKILL')
    process.kill(shim, 'SIGKILL')
    // The sandbox ends with its shim, without an agent.
    await waitUntil(async () => (await agent.processes(spec.id)).length === 0)
    await agent.start()
    expect(await agent.client.wait(spec.id)).toMatchObject({ cause: 'lost' })
  },
)

test.each(sandboxRuntimes)(
  'on %s, a program whose input was truncated by the agent’s death is ended',
  async (runtime) => {
    const input = new PassThrough()
    const spec = shellJob(empty, 'cat; echo acted on half of it > output.json', { runtime })
    input.write(Buffer.alloc(tooMuchAtOnce))
    const started = agent.client.start(spec, inputOf(input))
    const refusal = started.catch((error: unknown) => error)
    await agent.running(spec.id)
    await agent.end('SIGKILL')
    // A start resolves only when the shim has all of its input.
    expect(await refusal).toBeInstanceOf(ExecutorUnavailable)
    input.destroy()
    await agent.start()
    expect(programNeverStarted(await agent.client.wait(spec.id))).toBe(true)
    const again = agent.client.start(spec, inputOf(Buffer.from('all of it')))
    await expect(again).rejects.toMatchObject({ slug: neverStarted })
  },
)

test.each(sandboxRuntimes)(
  'on %s, a program whose usual input was truncated never started, by the death of sender or agent',
  async (runtime) => {
    for (const death of ['sender', 'agent'] as const) {
      const input = new PassThrough()
      const spec = shellJob(empty, 'cat', { runtime })
      input.write('half')
      const started = agent.client.start(spec, inputOf(input))
      const refusal = started.then(
        () => undefined,
        (error: unknown) => error,
      )
      await waitUntil(async () => (await agent.client.list()).some(({ id }) => id === spec.id))
      if (death === 'sender') input.destroy(new Error('gone'))
      else await agent.end('SIGKILL')
      expect(await refusal).toBeInstanceOf(Error)
      input.destroy()
      if (death === 'agent') await agent.start()
      expect(await agent.client.forbid(spec.id), `death of the ${death}`).toBe(true)
    }
  },
)

test('a start record without a shim, as of an agent that died before it asked for one, is no start', async () => {
  const spec = shellJob(empty, 'echo once')
  await agent.end('SIGKILL')
  const folder = join(agent.dataDir, 'agent/sandboxes', spec.id)
  await mkdir(folder, { mode: 0o700 })
  writeStartRecord(folder, { spec, name: spec.id, idBase: 0x4000_0000 })
  await agent.start()
  expect(await agent.folders()).not.toContain(spec.id)
  expect((await agent.run(spec)).log).toBe('once\n')
})

/** Kills a process of a start, so long after its shim has made `ctl`: the shim, or the child that it has then. */
async function killAfter(spec: SandboxSpec, ms: number, victim: 'shim' | 'child'): Promise<void> {
  const layout = await detectCgroups()
  if (!layout) throw new Error('this machine has no control groups')
  const group = join(shimCgroups(layout, agent.cgroup).folder, String(spec.owner), 'cgroup.procs')
  const folder = join(agent.dataDir, 'agent/sandboxes', spec.id)
  let isOver = false
  const started = agent.client
    .start(spec, noInput)
    .catch(() => undefined)
    .finally(() => {
      isOver = true
    })
  while (!existsSync(join(folder, 'ctl')) && !isOver) await setImmediate()
  const until = performance.now() + ms
  while (performance.now() < until && !isOver) await setImmediate()
  try {
    const [shim, child] = readFileSync(group, 'utf8').split('\n').filter(Boolean).map(Number)
    const pid = victim === 'shim' ? shim : child
    if (pid) process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
  await started
}

/** A shim starts its program after some milliseconds. */
const moments = Array.from({ length: 40 }, (_, at) => at / 10)

test.each(['shim', 'child'] as const)(
  'a start whose %s is killed at any moment is answered, and is a start or none',
  async (victim) => {
    let none = 0
    for (const ms of moments) {
      const spec: SandboxSpec = { ...shellJob(empty, 'echo once'), runtime: 'launcher', owner: 7 }
      await killAfter(spec, ms, victim)
      if (existsSync(join(agent.dataDir, 'agent/sandboxes', spec.id, 'exit.json'))) {
        await agent.client.wait(spec.id)
        continue
      }
      none += 1
      expect((await agent.run(spec)).log).toBe('once\n')
    }
    if (victim === 'shim') expect(none).toBeGreaterThan(0)
  },
)

test('a killed spawner is restarted, and running sandboxes are not affected', async () => {
  const before = shellJob(empty, 'cat; sleep 100')
  await agent.client.start(before, noInput)
  const killed = await agent.spawner()
  process.kill(killed, 'SIGKILL')
  // A start that still reaches it fails; workers repeat it.
  await waitUntil(async () => (await agent.spawner().catch(() => undefined)) !== killed)
  const after = shellJob(empty, 'echo still')
  expect((await agent.run(after)).log).toBe('still\n')
  await agent.client.stop(before.id)
  expect(await agent.client.wait(before.id)).toMatchObject({ cause: 'stopped' })
})

test('a start that a killed spawner had taken is made by the next one', async () => {
  const killed = await agent.spawner()
  process.kill(killed, 'SIGSTOP')
  const spec = shellJob(empty, 'cat')
  const ran = agent.run(spec, 'its input')
  await waitUntil(async () => (await agent.folders()).includes(spec.id))
  // It connects now; what it sends waits for the spawner.
  await sleep(200)
  process.kill(killed, 'SIGKILL')
  expect((await ran).log).toBe('its input')
})

test('a second agent on the same data folder is refused', async () => {
  await expect(agent.sibling().start()).rejects.toThrow(/already runs on this data folder/)
})
