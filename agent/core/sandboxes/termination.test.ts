import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { shellJob, TestAgent, waitUntil } from '../../../testing/agent/test-agent.ts'
import { noInput } from '../../../testing/no-input.ts'
import { type SandboxSpec, sandboxRuntimes } from '../../port/sandbox-spec.ts'

/* Processes are asked to end before they are killed. */

let agent: TestAgent
let empty: string

beforeAll(async () => {
  agent = await TestAgent.start()
  empty = await agent.image()
})
afterAll(() => agent.dispose())

const logOf = async ({ id }: SandboxSpec) => text(await agent.client.log(id))
const shows = (spec: SandboxSpec, line: string) => waitUntil(async () => (await logOf(spec)).includes(line))

/** Writes an artifact when it is asked to end. */
const tidy = `
mkdir artifacts
trap 'sleep 0.3; echo kept >artifacts/late; echo tidied; exit 0' TERM
echo ready
while :; do sleep 0.05; done`
/** Goes on in spite of the request. */
const deaf = `trap '' TERM; echo ready; while :; do sleep 0.05; done`
const long = 60_000

describe.each(sandboxRuntimes)('on %s', (runtime) => {
  const job = (script: string, graceMs: number | undefined, timeoutMs = long) =>
    shellJob(empty, script, { runtime, timeoutMs, ...(graceMs !== undefined && { graceMs }) })

  const started = async (spec: SandboxSpec) => {
    await agent.client.start(spec, noInput)
    await shows(spec, 'ready')
    return spec
  }

  const secondsUntilEnd = async (spec: SandboxSpec) => {
    const since = performance.now()
    const exit = await agent.client.wait(spec.id)
    return { exit, seconds: (performance.now() - since) / 1000 }
  }

  test('a program that is asked to end finishes its files', async () => {
    const spec = await started(job(tidy, long))
    await agent.client.terminate(spec.id)
    const exit = await agent.client.wait(spec.id)
    expect(exit).toMatchObject({ cause: 'stopped', tree: { files: [{ path: 'late', byteSize: 5 }] } })
    expect(await logOf(spec)).toContain('tidied\n')
  })

  test('so does one that reaches its deadline', async () => {
    const { exit, log } = await agent.run(job(tidy, long, 5000))
    expect(exit).toMatchObject({ cause: 'deadline', tree: { files: [{ path: 'late', byteSize: 5 }] } })
    expect(log).toContain('tidied\n')
  })

  test('the programs that a script has started have their time when its shell is gone', async () => {
    const spec = await started(job(`(${tidy}) & wait`, long))
    await agent.client.terminate(spec.id)
    expect(await agent.client.wait(spec.id)).toMatchObject({
      cause: 'stopped',
      tree: { status: 'collected' },
    })
    expect(await logOf(spec)).toContain('tidied\n')
  })

  test('a stopped process goes on to end', async () => {
    const spec = await started(job('echo ready; kill -STOP $$', long))
    await agent.client.terminate(spec.id)
    const { exit, seconds } = await secondsUntilEnd(spec)
    expect(exit.cause).toBe('stopped')
    expect(seconds).toBeLessThan(50)
  })

  test('what goes on is killed when its time is over', async () => {
    const spec = await started(job(deaf, 1000))
    const since = performance.now()
    await agent.client.terminate(spec.id)
    await agent.client.terminate(spec.id)
    expect((await agent.client.wait(spec.id)).cause).toBe('stopped')
    expect(performance.now() - since).toBeGreaterThan(990)
    expect(await agent.processes(spec.id)).toEqual([])
  })

  test('a stop meanwhile kills at once, and so does its absence from the specification', async () => {
    const given = await started(job(deaf, long))
    await agent.client.terminate(given.id)
    await agent.client.stop(given.id)
    const none = await started(job(deaf, undefined))
    await agent.client.terminate(none.id)
    for (const spec of [given, none]) {
      const { exit, seconds } = await secondsUntilEnd(spec)
      expect(exit.cause).toBe('stopped')
      expect(seconds).toBeLessThan(50)
    }
  })

  test('the death of the shim meanwhile ends it', async () => {
    const spec = await started(job(deaf, long))
    await agent.client.terminate(spec.id)
    process.kill(await agent.shim(spec.id), 'SIGKILL')
    const { exit, seconds } = await secondsUntilEnd(spec)
    expect(exit.cause).toBe('lost')
    expect(seconds).toBeLessThan(50)
    expect(await agent.processes(spec.id)).toEqual([])
  })

  test('the death of the agent meanwhile makes no difference', async () => {
    const spec = await started(job(deaf, 3000))
    await agent.client.terminate(spec.id)
    await agent.end('SIGKILL')
    await agent.start()
    expect((await agent.client.wait(spec.id)).cause).toBe('stopped')
    expect(await agent.processes(spec.id)).toEqual([])
  })
})
