import { statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shellJob, TestAgent, until } from './test-agent.ts'

/* A host whose disk runs full: jobs are not blamed for it, and go on waiting for room. */

const MiB = 1024 * 1024
const diskMiB = 48
let agent: TestAgent
let empty: string
let folder: string

beforeAll(async () => {
  agent = await TestAgent.start()
  empty = await agent.image()
  await until(async () => (await agent.client.capacity()).running === 0)
  folder = join(agent.dataDir, 'agent/sandboxes')
  await agent.onHost('mount', '-t', 'tmpfs', '-o', `size=${diskMiB}m`, 'full-disk', folder)
}, 60_000)
afterAll(async () => {
  await agent.onHost('umount', '--lazy', folder)
  await agent.dispose()
}, 60_000)

const fill = (bytes: number) => writeFile(join(folder, 'ballast'), Buffer.alloc(bytes))
/** Writes until nothing more goes in. */
const fillUp = () => fill(diskMiB * MiB).catch(() => undefined)

test('what a job left is told as lost when the disk filled up while it ran, and its end is kept', async () => {
  await fill(0)
  const input = new PassThrough()
  const spec = shellJob(
    empty,
    'head -c 1048576 >/dev/null; read word; echo $word > output.json; mkdir artifacts; echo 1 > artifacts/a',
  )
  // A program does not wait for the end of a large input.
  input.write(Buffer.alloc(MiB))
  const started = agent.client.start(spec, input)
  await agent.running(spec.id)
  await fillUp()
  input.end('go\n')
  await started
  const exit = await agent.client.wait(spec.id)
  expect(exit).toMatchObject({ cause: 'exited', exitCode: 0, files: { output: { status: 'lost' } } })
  expect(exit.tree).toMatchObject({ status: 'rejected', reason: 'storage' })
})

test('nothing is started on a full disk, and whoever asks may ask again', async () => {
  await fill((diskMiB - 10) * MiB)
  const spec = shellJob(empty, 'echo started')
  await expect(agent.client.start(spec, Buffer.alloc(0))).rejects.toMatchObject({ slug: 'no_capacity' })
  await fill(0)
  expect((await agent.run(spec)).log).toBe('started\n')
})

test('a sandbox that takes the room of the host through a disk of its own is ended while there is some left', async () => {
  await fill(0)
  const script =
    'i=0; while :; do dd if=/dev/zero of=/workspace/$i bs=128k count=1 conv=fsync 2>/dev/null; sleep 0.05; i=$((i+1)); done'
  const { exit } = await agent.run(
    shellJob(empty, script, { workspaceKind: 'disk', workspaceBytes: 256 * MiB, timeoutMs: 60_000 }),
  )
  expect(exit).toMatchObject({ cause: 'lost', detail: 'disk_space_low' })
  const { bavail, bsize } = await statfs(folder)
  expect(bavail * bsize).toBeGreaterThan(MiB / 4)
})
