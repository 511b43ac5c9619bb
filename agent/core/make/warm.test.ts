import { open, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../../server/base/ids.ts'
import { busybox, shellJob, TestAgent, waitUntil } from '../../../testing/agent/test-agent.ts'
import { executorConformance } from '../../../testing/executor-conformance/executor-conformance.ts'
import { shellPrograms } from '../../../testing/executor-conformance/shell-programs.ts'
import { noInput } from '../../../testing/no-input.ts'
import type { OciSpec } from '../../bundle/oci-spec.ts'
import { ExecutorUnavailable } from '../../port/errors.ts'
import type { SandboxSpec } from '../../port/sandbox-spec.ts'
import { inputOf } from '../../port/start-input.ts'
import { fillStartRecord } from '../records/start-record.ts'

let agent: TestAgent
let empty: string

beforeAll(async () => {
  agent = await TestAgent.start({
    SANDBOX_WARM_SANDBOXES: '2',
    SANDBOX_RUN_SLOTS: '2',
    SANDBOX_BUILD_SLOTS: '1',
  })
  empty = await agent.image()
})
afterAll(() => agent.dispose())

/** A separate kind for each test, without warm sandboxes. */
const kindOf = (name: string): SandboxSpec => ({ ...shellJob(empty, 'cat'), hostname: name })
const another = (spec: SandboxSpec): SandboxSpec => ({ ...spec, id: newId('run') })

/** Starts `spec` twice with other ids, and waits for the warm sandbox. */
async function warmUp(spec: SandboxSpec): Promise<void> {
  for (const one of [another(spec), another(spec)]) {
    await agent.run(one)
    await agent.client.remove(one.id)
  }
  await untilWarm(spec)
}

/** Waits for a warm sandbox of that hostname whose process 1 runs. */
async function untilWarm({ hostname }: SandboxSpec): Promise<void> {
  await waitUntil(async () => (await waiting(hostname)).length > 0)
}

async function waiting(hostname: string): Promise<string[]> {
  const found = []
  for (const name of await agent.warm()) {
    const folder = join(agent.dataDir, 'agent/sandboxes', name)
    if ((await hostnameIn(folder)) === hostname && (await agent.processes(name)).length > 0) found.push(name)
  }
  return found
}

/** Returns undefined while the agent has not written the whole file. */
async function hostnameIn(folder: string): Promise<string | undefined> {
  const config = await readFile(join(folder, 'config.json'), 'utf8').catch(() => '')
  try {
    return (JSON.parse(config) as { hostname?: string }).hostname
  } catch {
    return undefined
  }
}

const ignore = () => undefined
const wasWarm = async (id: string) => (await agent.nameOf(id)).startsWith('warm_')

test('the third start of a kind takes a warm sandbox', async () => {
  const kind = kindOf('third')
  for (const input of ['first', 'second']) {
    const one = another(kind)
    expect((await agent.run(one, input)).log).toBe(input)
    expect(await wasWarm(one.id)).toBe(false)
  }
  await untilWarm(kind)
  const { exit, log } = await agent.run(kind, 'third')
  expect(await wasWarm(kind.id)).toBe(true)
  expect(exit).toMatchObject({ cause: 'exited', exitCode: 0 })
  expect(Date.parse(exit.endedAt) - Date.parse(exit.startedAt ?? '')).toBeLessThan(5000)
  expect(log).toBe('third')
})

test('a sandbox is used once: the next of its kind finds nothing of it', async () => {
  const script = 'cat /proc/self/uid_map; ls /workspace /tmp /dev/shm; touch /workspace/w /tmp/t /dev/shm/s'
  const kind = { ...shellJob(empty, script), hostname: 'once' }
  await warmUp(kind)
  const first = await agent.run(another(kind))
  await untilWarm(kind)
  const second = await agent.run(kind)
  expect(await wasWarm(kind.id)).toBe(true)
  expect(second.log).not.toBe(first.log)
  const withoutIds = (log: string) => log.replace(/\d+/g, '#')
  expect(withoutIds(second.log)).toBe(withoutIds(first.log))
  expect(second.log).not.toMatch(/\b[wts]\b/)
})

test('a spec that differs in more than id and time gets a new sandbox', async () => {
  const kind = kindOf('differs')
  const image = await agent.image([[{ name: 'mark' }, 'other image']])
  const others: Partial<SandboxSpec>[] = [
    { rootfs: { kind: 'image', digest: image } },
    { hostname: 'differs-too' },
    { argv: [busybox, 'cat', '-'] },
    { env: { LATE: '1' } },
    { user: { uid: 1, gid: 0 } },
    { confinement: 'build' },
    { limits: { ...kind.limits, memoryBytes: kind.limits.memoryBytes * 2 } },
    { limits: { ...kind.limits, logBytes: 2048 } },
    { collect: { files: [] } },
  ]
  await warmUp(kind)
  for (const other of others) {
    const spec = another({ ...kind, ...other })
    await agent.run(spec)
    expect(await wasWarm(spec.id)).toBe(false)
  }
  expect(await waiting('differs')).not.toEqual([])
})

test('the timeout of a program starts with its start, and is that of its spec', async () => {
  const kind = { ...shellJob(empty, 'sleep 100'), hostname: 'time' }
  const brief = (timeoutMs: number) => another({ ...kind, limits: { ...kind.limits, timeoutMs } })
  for (const timeoutMs of [200, 100]) await agent.run(brief(timeoutMs))
  await untilWarm(kind)
  const spec = brief(300)
  const { exit } = await agent.run(spec)
  expect(await wasWarm(spec.id)).toBe(true)
  expect(exit.cause).toBe('deadline')
  const ranMs = Date.parse(exit.endedAt) - Date.parse(exit.startedAt ?? '')
  expect(ranMs).toBeGreaterThanOrEqual(300)
})

test('if a warm sandbox has died, a new one is made at the start', async () => {
  const kind = kindOf('died')
  await warmUp(kind)
  const killed: string[] = []
  await waitUntil(async () => {
    const names = await waiting('died')
    for (const name of names) await agent.shim(name).then((pid) => process.kill(pid, 'SIGKILL'), ignore)
    killed.push(...names)
    // The agent has noticed their death when it has removed them.
    return names.length === 0 && !(await agent.warm()).some((name) => killed.includes(name))
  })
  const spec = another(kind)
  const { exit, log } = await agent.run(spec, 'still')
  expect(exit).toMatchObject({ cause: 'exited', exitCode: 0 })
  expect(log).toBe('still')
})

test('a start takes the slot of a warm sandbox if it needs it', async () => {
  await warmUp(kindOf('yields'))
  const { slots } = await agent.client.capacity()
  const endless = Array.from({ length: slots }, () => shellJob(empty, 'sleep 100'))
  for (const spec of endless) await agent.client.start(spec, noInput)
  expect((await agent.client.capacity()).running).toBe(slots)
  await waitUntil(async () => (await agent.warm()).length === 0)
  await expect(agent.client.start(kindOf('late'), noInput)).rejects.toMatchObject({
    slug: 'no_capacity',
  })
  for (const { id } of endless) await agent.client.stop(id)
  for (const { id } of endless) await agent.client.wait(id)
  await waitUntil(async () => (await agent.client.capacity()).running === 0)
})

test('an image can be removed while warm sandboxes use it', async () => {
  const digest = await agent.image([[{ name: 'removed' }, 'soon']])
  const kind = { ...kindOf('image'), rootfs: { kind: 'image' as const, digest } }
  await warmUp(kind)
  await agent.client.removeImage(digest)
  expect(await waiting('image')).toEqual([])
  await expect(agent.client.start(another(kind), noInput)).rejects.toMatchObject({
    slug: 'image_missing',
  })
})

test('an image that is removed while its jobs start is complete for each that starts', async () => {
  const words = Array.from({ length: 200 }, (_, at) => `word${at}`)
  for (let round = 0; round < 8; round += 1) {
    const digest = await agent.image([
      [{ name: 'round' }, newId('run')],
      ...words.map((word): [{ name: string }, string] => [{ name: word }, `${word}\n`]),
    ])
    const kind = {
      ...shellJob(empty, `cat ${words.map((word) => `/${word}`).join(' ')}`),
      rootfs: { kind: 'image' as const, digest },
      hostname: `removed-${round}`,
    }
    await warmUp(kind)
    const jobs = [another(kind), another(kind), another(kind)]
    const removal = agent.client.removeImage(digest).catch((error: { slug: string }) => error.slug)
    const started = await Promise.allSettled(jobs.map((job) => agent.client.start(job, noInput)))
    expect([undefined, 'image_in_use']).toContain(await removal)
    for (const [at, job] of jobs.entries()) {
      const start = started[at]
      if (start?.status === 'rejected') {
        expect(start.reason).toMatchObject({ slug: 'image_missing' })
        continue
      }
      expect(await agent.client.wait(job.id)).toMatchObject({ cause: 'exited', exitCode: 0 })
      expect(await text(await agent.client.log(job.id))).toBe(`${words.join('\n')}\n`)
    }
  }
})

test('after an agent is killed no warm sandbox remains, and started sandboxes continue', async () => {
  const kind = { ...shellJob(empty, 'read seconds; sleep $seconds'), hostname: 'killed' }
  await warmUp(kind)
  await agent.client.start(kind, inputOf(Buffer.from('100\n')))
  expect(await wasWarm(kind.id)).toBe(true)
  await untilWarm(kind)
  await agent.end('SIGKILL')
  await agent.start()
  expect(await agent.warm()).toEqual([])
  const groups = await readdir(join('/sys/fs/cgroup/pids', agent.cgroup), { withFileTypes: true })
  const left = groups.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  expect(left).toEqual([await agent.nameOf(kind.id)])
  await agent.client.stop(kind.id)
  expect(await agent.client.wait(kind.id)).toMatchObject({ cause: 'stopped' })
  await agent.client.remove(kind.id)
  await expect(agent.client.start(kind, noInput)).rejects.toMatchObject({ slug: 'removed' })
})

/** Kills the agent between the start record and the start signal, and starts the next agent. */
async function dieBeforeRelease(spec: SandboxSpec): Promise<void> {
  await warmUp(spec)
  const [name = ''] = await waiting(spec.hostname)
  const folder = join(agent.dataDir, 'agent/sandboxes', name)
  const config = JSON.parse(await readFile(join(folder, 'config.json'), 'utf8')) as OciSpec
  const idBase = config.linux.uidMappings[0]?.hostID ?? 0
  agent.process?.kill('SIGSTOP')
  const file = await open(join(folder, 'ticket.json'), 'r+')
  await fillStartRecord({ file, bytes: (await file.stat()).size }, { spec, name, idBase })
  await agent.end('SIGKILL')
  await agent.start()
}

test('if the agent dies after the start record and before the start signal, the id can start', async () => {
  const kind = kindOf('unreleased')
  await dieBeforeRelease(kind)
  expect((await agent.run(kind, 'again')).log).toBe('again')
  expect(await agent.nameOf(kind.id)).toBe(kind.id)
})

test('if the agent dies after the start record and before the start signal, the id can be forbidden', async () => {
  const kind = kindOf('unwanted')
  await dieBeforeRelease(kind)
  expect(await agent.client.forbid(kind.id)).toBe(true)
  await expect(agent.client.start(kind, noInput)).rejects.toMatchObject({ slug: 'forbidden' })
})

test('an agent that stops leaves no residue', async () => {
  await warmUp(kindOf('stops'))
  await agent.end('SIGTERM')
  expect(await agent.warm()).toEqual([])
  expect(await readdir('/sys/fs/cgroup/pids')).not.toContain(agent.cgroup)
  await agent.start()
})

executorConformance('the host agent with warm sandboxes', () => ({
  executor: agent.client,
  runtime: 'crun',
  digest: empty,
  programs: shellPrograms,
}))

test('if a sandbox dies after it was taken and before the start signal, the id can start again', async () => {
  const kind = kindOf('dies')
  await warmUp(kind)
  const one = another(kind)
  const input = new PassThrough()
  input.write('half')
  const started = agent.client.start(one, inputOf(input)).catch((error: unknown) => error)
  await waitUntil(async () => (await agent.client.list()).some(({ id }) => id === one.id))
  expect(await wasWarm(one.id)).toBe(true)
  process.kill(await agent.shim(await agent.nameOf(one.id)), 'SIGKILL')
  await waitUntil(async () => !(await agent.client.list()).some(({ id }) => id === one.id))
  input.end()
  expect(await started).toBeInstanceOf(ExecutorUnavailable)
  expect((await agent.run(one, 'all of it')).log).toBe('all of it')
})
