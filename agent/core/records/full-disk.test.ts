import { statfsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newWorkFloorBytes } from '../../../server/base/disk-floor.ts'
import { shellJob, TestAgent, waitUntil } from '../../../testing/agent/test-agent.ts'
import { noInput } from '../../../testing/no-input.ts'
import { inputOf } from '../../port/start-input.ts'

/* A host whose disk fills up: the failure is not reported as the job's, and new starts wait for space. */

const MiB = 1024 * 1024
const diskMiB = 48
let agent: TestAgent
let empty: string
let folder: string

beforeAll(async () => {
  agent = await TestAgent.start()
  empty = await agent.image()
  await waitUntil(async () => (await agent.client.capacity()).running === 0)
  folder = join(agent.dataDir, 'agent/sandboxes')
  await agent.onHost('mount', '-t', 'tmpfs', '-o', `size=${diskMiB}m`, 'full-disk', folder)
})
afterAll(async () => {
  await agent.onHost('umount', '--lazy', folder)
  await agent.dispose()
})

const fill = (bytes: number) => writeFile(join(folder, 'ballast'), Buffer.alloc(bytes))
/** Writes until the disk is full. */
const fillUp = () => fill(diskMiB * MiB).catch(() => undefined)

test('results are reported as lost if the disk filled up during the run, and the exit record is kept', async () => {
  await fill(0)
  const input = new PassThrough()
  const spec = shellJob(
    empty,
    'head -c 1048576 >/dev/null; read word; echo $word > output.json; mkdir artifacts; echo 1 > artifacts/a',
  )
  // A program does not wait for the end of a large input.
  input.write(Buffer.alloc(MiB))
  const started = agent.client.start(spec, inputOf(input))
  await agent.running(spec.id)
  await fillUp()
  input.end('go\n')
  await started
  const exit = await agent.client.wait(spec.id)
  expect(exit).toMatchObject({ cause: 'exited', exitCode: 0, files: { output: { status: 'lost' } } })
  expect(exit.tree).toMatchObject({ status: 'rejected', reason: 'storage' })
})

test('nothing is started on a full disk, and the start can be repeated', async () => {
  await fill((diskMiB - 10) * MiB)
  const spec = shellJob(empty, 'echo started')
  await expect(agent.client.start(spec, noInput)).rejects.toMatchObject({ slug: 'no_capacity' })
  await fill(0)
  expect((await agent.run(spec)).log).toBe('started\n')
})

test('a sandbox that fills the host through its workspace disk is ended while others can still begin something', async () => {
  await fill(0)
  let leastFree = Number.POSITIVE_INFINITY
  const watch = setInterval(() => {
    const { bavail, bsize } = statfsSync(folder)
    leastFree = Math.min(leastFree, bavail * bsize)
  }, 10)
  const script =
    'i=0; while :; do dd if=/dev/zero of=/workspace/$i bs=128k count=1 conv=fsync 2>/dev/null; sleep 0.05; i=$((i+1)); done'
  const { exit } = await agent.run(
    shellJob(empty, script, { workspaceKind: 'disk', workspaceBytes: 256 * MiB, timeoutMs: 60_000 }),
  )
  clearInterval(watch)
  expect(exit).toMatchObject({ cause: 'lost', detail: 'disk_space_low' })
  expect(leastFree).toBeGreaterThan(newWorkFloorBytes(diskMiB * MiB, undefined))
})
