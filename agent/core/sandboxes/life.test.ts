import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shellJob, TestAgent, tarOf, waitUntil } from '../../../testing/agent/test-agent.ts'
import { layerOf } from '../../../testing/image-layer.ts'
import { noInput } from '../../../testing/no-input.ts'
import { ExecutorRefused, SandboxUnknown } from '../../port/errors.ts'
import { sandboxRuntimes } from '../../port/sandbox-spec.ts'
import { inputOf } from '../../port/start-input.ts'

let agent: TestAgent
let empty: string

beforeAll(async () => {
  agent = await TestAgent.start()
  empty = await agent.image()
})
afterAll(() => agent.dispose())

test.each(sandboxRuntimes)('on %s, an empty image runs in the platform’s shell', async (runtime) => {
  const { exit, log } = await agent.run(
    shellJob(empty, 'echo hello; cat', { runtime }),
    'from standard input',
  )
  expect(exit).toMatchObject({ cause: 'exited', exitCode: 0, signal: null, detail: '' })
  expect(log).toBe('hello\nfrom standard input')
  expect(exit.files.output?.status).toBe('absent')
  expect(exit.tree).toEqual({ status: 'absent', reason: '', files: [] })
})

test.each(sandboxRuntimes)(
  'on %s, an input of any size arrives completely, also if the program reads it late',
  async (runtime) => {
    const chunk = Buffer.alloc(1 << 16, 'x')
    const stream = () =>
      Readable.from(
        (async function* () {
          for (let sent = 0; sent < 64; sent += 1) yield chunk
        })(),
      )
    for (const input of [stream(), Buffer.alloc(64 * chunk.length)]) {
      const spec = shellJob(empty, 'sleep 0.2; wc -c', { runtime })
      await agent.client.start(spec, inputOf(input))
      expect(await agent.client.wait(spec.id)).toMatchObject({ cause: 'exited', exitCode: 0 })
      expect(await text(await agent.client.log(spec.id))).toBe(`${64 * chunk.length}\n`)
    }
  },
)

test.each(sandboxRuntimes)('on %s, the exit code of the program is reported', async (runtime) => {
  const { exit } = await agent.run(shellJob(empty, 'exit 3', { runtime }))
  expect(exit).toMatchObject({ cause: 'exited', exitCode: 3 })
})

test.each(sandboxRuntimes)(
  'on %s, a program that is killed by a signal is reported as signalled',
  async (runtime) => {
    const { exit } = await agent.run(shellJob(empty, 'kill -9 $$', { runtime }))
    expect(exit).toMatchObject({ cause: 'signalled', exitCode: null, signal: 9 })
  },
)

test.each(sandboxRuntimes)(
  'on %s, a command that is missing in the image is a failed start',
  async (runtime) => {
    const { exit } = await agent.run({ ...shellJob(empty, '', { runtime }), argv: ['/bin/absent'] })
    expect(exit).toMatchObject({ cause: 'start_failed', detail: 'command_not_found' })
  },
)

test.each(sandboxRuntimes)('on %s, output, artifacts and log can be read after the end', async (runtime) => {
  const script =
    'printf 42 > output.json; mkdir -p artifacts/b; cd artifacts; printf one > b/x; printf two > y; touch -d @1600000000 b/x'
  const spec = shellJob(empty, script, { runtime })
  const { exit } = await agent.run(spec)
  expect(exit.files.output).toEqual({ status: 'present', byteSize: 2 })
  expect(exit.tree?.files).toEqual([
    { path: 'b/x', byteSize: 3, modifiedAt: 1_600_000_000 },
    { path: 'y', byteSize: 3, modifiedAt: expect.any(Number) },
  ])
  expect(exit.tree?.files[1]?.modifiedAt).toBeGreaterThan(1_600_000_000)
  expect(await text(await agent.client.file(spec.id, 'output'))).toBe('42')
  expect(await text(await agent.client.tree(spec.id))).toBe('onetwo')
})

test('a second start of an id does nothing', async () => {
  const spec = shellJob(empty, 'echo once')
  await Promise.all([
    agent.client.start(spec, inputOf(Buffer.from('a'))),
    agent.client.start(spec, inputOf(Buffer.from('b'))),
  ])
  await agent.client.wait(spec.id)
  await agent.client.start(spec, inputOf(Buffer.from('c')))
  expect(await text(await agent.client.log(spec.id))).toBe('once\n')
})

test('an id that was removed, or forbidden, never starts', async () => {
  const removed = shellJob(empty, 'true')
  await agent.run(removed)
  await agent.client.remove(removed.id)
  await expect(agent.client.start(removed, noInput)).rejects.toMatchObject({ slug: 'removed' })
  expect(await agent.client.forbid(removed.id)).toBe(false)
  const forbidden = shellJob(empty, 'true')
  expect(await agent.client.forbid(forbidden.id)).toBe(true)
  expect(await agent.client.forbid(forbidden.id)).toBe(true)
  await expect(agent.client.start(forbidden, noInput)).rejects.toMatchObject({ slug: 'forbidden' })
})

test.each(sandboxRuntimes)('on %s, a removed sandbox leaves no residue', async (runtime) => {
  const spec = shellJob(empty, 'true', { runtime })
  await agent.run(spec)
  await agent.client.remove(spec.id)
  await expect(agent.client.wait(spec.id)).rejects.toBeInstanceOf(SandboxUnknown)
  expect(await readdir(join(agent.dataDir, 'agent/sandboxes'))).not.toContain(spec.id)
  await waitUntil(async () =>
    (await readdir(join('/sys/fs/cgroup/pids', agent.cgroup))).every((name) => name !== spec.id),
  )
})

test('crun ends once process 1 runs, and leaves it to the shim', async () => {
  const spec = shellJob(empty, 'sleep 100')
  await agent.client.start(spec, noInput)
  await agent.running(spec.id)
  const [first, shim] = [await agent.firstProcess(spec.id), await agent.shim(spec.id)]
  await waitUntil(async () => (await agent.onHost('pgrep', '--parent', `${shim}`)).trim() === `${first}`)
  await agent.client.stop(spec.id)
  expect(await agent.client.wait(spec.id)).toMatchObject({ cause: 'stopped' })
})

test.each(sandboxRuntimes)('on %s, stop ends every process of a sandbox', async (runtime) => {
  const spec = shellJob(empty, 'sleep 100 & sleep 100', { runtime })
  await agent.client.start(spec, noInput)
  await agent.client.stop(spec.id)
  expect(await agent.client.wait(spec.id)).toMatchObject({ cause: 'stopped', exitCode: null })
  expect(await agent.processes(spec.id)).toEqual([])
})

test.each(sandboxRuntimes)(
  'on %s, a background process does not keep a sandbox whose program has ended',
  async (runtime) => {
    const started = performance.now()
    const { exit } = await agent.run(shellJob(empty, 'sleep 100 & exit 0', { runtime }))
    expect(exit).toMatchObject({ cause: 'exited', exitCode: 0 })
    expect(performance.now() - started).toBeLessThan(90_000)
  },
)

/** Processes whose parents end before they do, and in the end as many processes as before: none is left as a zombie. */
const orphans = `
  set -- /proc/[0-9]*; before=$#
  for i in 1 2 3 4 5 6 7 8 9 10; do ( (sleep 0.5 &) ); done
  set -- /proc/[0-9]*; [ $# -gt $before ] && echo orphaned
  until set -- /proc/[0-9]*; [ $# -le $before ]; do :; done
  echo reaped`

test.each(sandboxRuntimes)('on %s, processes without a parent are reaped when they end', async (runtime) => {
  const { exit, log } = await agent.run(shellJob(empty, orphans, { runtime }))
  expect([exit.cause, log]).toEqual(['exited', 'orphaned\nreaped\n'])
})

test('a spec out of bounds is refused with the name of its field', async () => {
  const bad = shellJob(empty, 'true')
  bad.collect.files = [{ name: 'passwd', path: '/workspace/../etc/passwd', maxBytes: 10 }]
  const start = agent.client.start(bad, noInput)
  await expect(start).rejects.toBeInstanceOf(ExecutorRefused)
  await expect(start).rejects.toMatchObject({
    slug: 'spec_invalid',
    message: expect.stringContaining('collect.files'),
  })
})

test('an image whose bytes do not match its digest is not installed', async () => {
  const digest = `sha256:${'a'.repeat(64)}`
  const install = agent.client.installImage(digest, layerOf(await tarOf([[{ name: 'x' }, 'x']])))
  await expect(install).rejects.toMatchObject({ slug: 'digest_mismatch' })
  expect(await agent.client.hasImage(digest)).toBe(false)
  await expect(agent.client.start(shellJob(digest, 'true'), noInput)).rejects.toMatchObject({
    slug: 'image_missing',
  })
})

test.each(sandboxRuntimes)(
  'on %s, names longer than a tar header are unpacked completely',
  async (runtime) => {
    const name = `${'folder/'.repeat(30)}${'é'.repeat(60)}.txt`
    const digest = await agent.image([[{ name, mode: 0o644, uid: 33, gid: 34 }, 'deep']])
    const { log } = await agent.run(
      shellJob(digest, `cat '/${name}'; stat -c '%a %u %g' '/${name}'`, { runtime }),
    )
    expect(log).toBe('deep644 33 34\n')
  },
)

test('on runsc, a program that kills process 1 counts as signalled, not as a failed start', async () => {
  for (let time = 0; time < 5; time += 1) {
    const { exit } = await agent.run(shellJob(empty, 'kill -9 1; sleep 1', { runtime: 'runsc' }))
    expect(exit.cause).toBe('signalled')
  }
})
