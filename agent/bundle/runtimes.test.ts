import { release } from 'node:os'
import { expect, test } from 'vitest'
import { shellJob, TestAgent } from '../../testing/agent/test-agent.ts'
import { ExecutorRefused } from '../port/errors.ts'
import { sandboxRuntimes } from '../port/sandbox-spec.ts'
import { atLeast, groupLimits, runtimeCommand } from './runtimes.ts'

const job = shellJob(`sha256:${'0'.repeat(64)}`, 'true')

test('a job gets the stronger of its requested runtime and the machine’s minimum', () => {
  const given = sandboxRuntimes.map((weakest) =>
    sandboxRuntimes.map((runtime) => atLeast(weakest, { ...job, runtime }).runtime),
  )
  expect(given).toEqual([
    ['crun', 'launcher', 'runsc'],
    ['launcher', 'launcher', 'runsc'],
    ['runsc', 'runsc', 'runsc'],
  ])
})

test('a build, and a sandbox of the agent itself, stay on the host’s kernel', () => {
  const build = { ...job, confinement: 'build' } as const
  const given = sandboxRuntimes.map((weakest) => [atLeast(weakest, build), atLeast(weakest, job, true)])
  expect(given.map((pair) => pair.map(({ runtime }) => runtime))).toEqual([
    ['crun', 'crun'],
    ['launcher', 'launcher'],
    ['crun', 'crun'],
  ])
})

test('gVisor’s own threads have a limit in addition to the job’s processes', () => {
  expect(groupLimits({ ...job, runtime: 'crun' })).toEqual(job.limits)
  const room = groupLimits({ ...job, runtime: 'runsc' })
  expect({ ...room, pids: job.limits.pids }).toEqual(job.limits)
  expect(room.pids).toBeGreaterThan(16 * job.limits.pids)
  const huge = { ...job.limits, pids: 32_768 }
  expect(groupLimits({ ...job, runtime: 'runsc', limits: huge }).pids).toBe(16_384)
})

test('a missing runtime is refused with the name of its package', () => {
  const start = () =>
    runtimeCommand({ ...job, runtime: 'runsc' }, { crun: '/usr/bin/crun', runsc: undefined })
  expect(start).toThrow(ExecutorRefused)
  expect(start).toThrow(/install\/runsc\.sh/)
})

test('on a machine configured for gVisor, a job sees gVisor’s kernel and not the host’s', async () => {
  const agent = await TestAgent.start({ SANDBOX_RUNTIME: 'runsc' })
  try {
    const { log } = await agent.run(shellJob(await agent.image(), 'uname -r'))
    expect(log).not.toBe(`${release()}\n`)
    expect(log).toMatch(/^4\./)
  } finally {
    await agent.dispose()
  }
})
