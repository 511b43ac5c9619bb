import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { logMaxBytes, outputMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import { profiles } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import { artifactsDir } from '@sandbox-jobs/contract/resources/environments/runtime-contract.ts'
import { isolations } from '@sandbox-jobs/contract/resources/environments/version-isolation.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inputOf } from '../../../agent/port/start-input.ts'
import { busybox, TestAgent } from '../../../testing/agent/test-agent.ts'
import { newId } from '../../base/ids.ts'
import { runSandbox } from './run-sandbox.ts'

/* The table of profiles, held on the real host agent: what a program sees, and what the kernel holds it to. */

let agent: TestAgent
let empty: string

beforeAll(async () => {
  agent = await TestAgent.start()
  empty = await agent.image()
})
afterAll(() => agent.dispose())

const program = `
echo processors $(nproc) $(grep -c ^processor /proc/cpuinfo)
echo memory $(awk '/MemTotal/ { print $2 / 1024 }' /proc/meminfo)
echo workspace $(df -m /workspace | awk 'END { print $2 }')
echo inodes $(df -i /workspace | awk 'END { print $2 }')
echo files $(ulimit -n) $(ulimit -Hn)
echo pids $(ulimit -u)
cat >/dev/null
`

const cases = profiles.flatMap((profile) =>
  isolations.map((isolation) => [profile.id, isolation, profile] as const),
)

/** A number that the kernel holds a sandbox to, where version 1 or version 2 keeps it. */
async function setting(id: string, version1: string, version2: string): Promise<number> {
  const [controller = '', name = ''] = version1.split('/')
  const root = '/sys/fs/cgroup'
  const found = await readFile(join(root, controller, agent.cgroup, id, name), 'utf8').catch(() =>
    readFile(join(root, agent.cgroup, id, version2), 'utf8'),
  )
  return Number.parseInt(found, 10)
}

test.each(cases)(
  '%s, isolation %s: limits are those of the table',
  async (resourceProfile, isolation, profile) => {
    const spec = {
      ...runSandbox({
        sandboxId: newId('run'),
        claimedAt: new Date(),
        layerDigest: empty,
        resourceProfile,
        imageUser: '',
        isolation,
        network: 'none',
        owner: 1,
        artifactsDir,
        timeoutSeconds: 30,
      }),
      argv: [busybox, 'sh', '-c', program],
    }
    expect(spec.limits).toMatchObject({ vcpu: profile.vcpu, logBytes: logMaxBytes })
    expect(spec.collect.files).toMatchObject([{ maxBytes: outputMaxBytes }])

    // The program ends with its input, so its control groups can be looked at before.
    // It does not wait for the end of a large input.
    const input = new PassThrough()
    input.write(Buffer.alloc(1024 * 1024))
    const started = agent.client.start(spec, inputOf(input))
    await agent.running(spec.id)
    const held = {
      memory: await setting(spec.id, 'memory/memory.limit_in_bytes', 'memory.max'),
      cpu: await setting(spec.id, 'cpu/cpu.cfs_quota_us', 'cpu.max'),
      pids: await setting(spec.id, 'pids/pids.max', 'pids.max'),
    }
    input.end()
    await started
    expect(await agent.client.wait(spec.id)).toMatchObject({ cause: 'exited', exitCode: 0 })
    const log = await text(await agent.client.log(spec.id))

    expect(held.memory).toBe(profile.provider_memory_mib * 1024 * 1024)
    expect(held.cpu).toBe(profile.vcpu * 100_000)
    // Process 1 and the runtime are counted too; of gVisor its own threads.
    if (isolation === 'standard') expect(held.pids).toBe(256 * profile.vcpu + 2)
    const cpus = Math.min(profile.vcpu, availableParallelism())
    const seen = Object.fromEntries(
      log
        .trim()
        .split('\n')
        .map((line) => [line.split(' ')[0], line.split(' ').slice(1)]),
    )
    expect(seen.processors).toEqual([String(cpus), String(cpus)])
    expect(seen.memory).toEqual([String(profile.customer_memory_mib)])
    expect(seen.workspace).toEqual([String(profile.workspace_mib)])
    // gVisor shows the size of the workspace, and not how many files fit; they fail there all the same.
    if (isolation === 'standard') expect(seen.inodes).toEqual(['65536'])
    expect(seen.files).toEqual(['1024', '4096'])
    if (isolation === 'gvisor') expect(seen.pids).toEqual([String(spec.limits.pids + 1)])
  },
)
