import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../server/base/ids.ts'
import { compiledProbe } from '../../testing/agent/probe/attempts.ts'
import { busybox, shellJob, TestAgent, waitUntil } from '../../testing/agent/test-agent.ts'
import { linkBuilder } from '../../testing/agent/test-builder.ts'
import { type SandboxSpec, sandboxRuntimes } from '../port/sandbox-spec.ts'
import { inputOf } from '../port/start-input.ts'

/*
 * Files that two sandboxes share: those of one image, the platform's shell, devices, and the builder. A lock, lease or watch of one
 * sandbox on such a file must not affect the other, and the other must not trigger events for it.
 */

/** Kinds that affect the inode itself; a sandbox does not need them. */
const refused = `write-lease read-lease notify inotify fanotify locked-pages locked-map write-hint`.split(' ')
/** Locks are allowed, within the sandbox. */
const locks = ['flock', 'record-lock', 'open-file-lock']
const kinds = [...refused, ...locks, 'attribute']

interface Hold {
  kind: string
  path: string
}

let agent: TestAgent
let image: string
beforeAll(async () => {
  agent = await TestAgent.start()
  await linkBuilder(agent)
  const files = kinds.map((kind): [{ name: string }, string] => [{ name: `shared/${kind}` }, 'text'])
  image = await agent.image([
    [{ name: 'usr/bin/holds', mode: 0o755 }, await compiledProbe('holds')],
    ...files,
  ])
})
afterAll(() => agent.dispose())

const lines = (log: string) => log.trim().split('\n').sort()
const linesOf = (holds: Hold[], answer: string) =>
  holds.map(({ kind, path }) => `${kind} ${path} ${answer}`).sort()

const buildSandbox: Omit<SandboxSpec, 'id' | 'argv'> = {
  ...shellJob('', '', {
    timeoutMs: 240_000,
    pids: 128,
    workspaceBytes: 256 * 2 ** 20,
    workspaceKind: 'disk',
  }),
  rootfs: { kind: 'builder' },
  confinement: 'build',
  env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
}

interface Pair {
  /** A sandbox that runs this shell script, in which `holds` is a program. */
  sandbox: (script: string) => SandboxSpec
  holds: Hold[]
  /** Input of both sandboxes. */
  input?: Buffer
}

/** Output of a holding sandbox and of a second one that runs meanwhile. */
async function holdAndMeet({ sandbox, holds, input = Buffer.alloc(0) }: Pair) {
  const hold = holds.map(({ kind, path }) => `holds hold ${kind} ${path} <&3 &`).join('\n')
  const holder = sandbox(`exec 3<&0\n${hold}\nwait`)
  // Input beyond the usual size is read while the program runs.
  const holding = new Readable({ read: () => undefined })
  holding.push(input)
  holding.push(' '.repeat(256 * 1024))
  const started = agent.client.start(holder, inputOf(holding))
  await agent.running(holder.id)
  const logOf = async () => lines(await text(await agent.client.log(holder.id)))
  await waitUntil(async () => (await logOf()).length >= holds.length)
  const held = await logOf()
  const meet = holds.map(({ kind, path }) => `holds meet ${kind} ${path}`).join('\n')
  const meeter = sandbox(meet)
  await agent.client.start(meeter, inputOf(input))
  await agent.client.wait(meeter.id)
  const met = lines(await text(await agent.client.log(meeter.id)))
  holding.push(null)
  await started
  await agent.client.wait(holder.id)
  return { held, met, ends: (await logOf()).filter((line) => !held.includes(line)) }
}

const isRefused = ({ kind }: Hold) => refused.includes(kind)

/** Asserts that neither sandbox affected the other, and that kinds on the inode were refused. */
function expectNothingShared(holds: Hold[], { held, met, ends }: Awaited<ReturnType<typeof holdAndMeet>>) {
  expect(met).toEqual(linesOf(holds, 'free'))
  expect(ends).toEqual(linesOf(holds, 'ended'))
  expect(held).toHaveLength(holds.length)
  expect(held).toEqual(expect.arrayContaining(linesOf(holds.filter(isRefused), 'refused')))
}

/** One kind per path, since one hold on a file blocks others. */
const eachOn = (kinds: string[], paths: string[]): Hold[] =>
  kinds.map((kind, at) => ({ kind, path: paths[at % paths.length] ?? '' }))

test.each(sandboxRuntimes)('two runs of one image on %s leave each other alone', async (runtime) => {
  const sandbox = (script: string) => ({
    ...shellJob(image, '', { runtime, pids: 128, timeoutMs: 240_000 }),
    argv: [busybox, 'sh', '-c', script],
  })
  const holds = [
    ...kinds.map((kind) => ({ kind, path: `/shared/${kind}` })),
    ...eachOn(locks, ['/.sandbox/busybox']),
    ...eachOn(locks, ['/dev/null', '/dev/zero', '/dev/full']),
    ...eachOn(locks, ['/proc/meminfo', '/proc/stat', '/proc/cpuinfo']),
  ]
  expectNothingShared(holds, await holdAndMeet({ sandbox, holds }))
})

test('two builds do not affect each other through shared builder files', async () => {
  const input = await compiledProbe('holds')
  const take = `head -c ${input.length} >/usr/bin/holds; chmod 755 /usr/bin/holds`
  const sandbox = (script: string): SandboxSpec => ({
    ...buildSandbox,
    id: newId('run'),
    argv: ['/bin/sh', '-c', `${take}\n${script}`],
  })
  const files = await agent.onHost(
    'find',
    `${agent.dataDir}/agent/base-images`,
    '-name',
    'lib*.so.*',
    '-type',
    'f',
  )
  const paths = files.split('\n').map((path) => path.slice(`${agent.dataDir}/agent`.length))
  const holds = [
    ...eachOn(kinds, paths),
    ...eachOn(locks, ['/usr/bin/buildah', '/usr/bin/skopeo', '/usr/bin/tar']),
    ...eachOn(locks, ['/dev/null', '/dev/zero', '/dev/full']),
  ]
  expectNothingShared(holds, await holdAndMeet({ sandbox, holds, input }))
})

test('reading a shared file does not change its metadata', async () => {
  const [file = ''] = (await agent.onHost('find', agent.dataDir, '-path', '*/tree/shared/flock')).split('\n')
  const state = () => agent.onHost('stat', '--format', '%X %Y %Z', file)
  await agent.onHost('touch', '--date', '2001-01-01', file)
  const before = await state()
  const { exit } = await agent.run(shellJob(image, 'cat /shared/flock && echo more >>/shared/flock'))
  expect(exit.exitCode).toBe(0)
  expect(await state()).toBe(before)
})
