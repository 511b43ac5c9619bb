import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { installedPrograms } from '../../../server/native-programs/installed.ts'
import { waitUntil } from '../../../testing/agent/test-agent.ts'
import { detectCgroups } from '../../host/cgroup-layout.ts'
import { shimCgroups } from '../../host/shim-cgroups.ts'

const run = promisify(execFile)
const groupName = `sandbox-jobs-test-spawner-${process.pid}`
let folder: string
/** Folder of a control group of this machine. */
let group: string
let spawner: ChildProcess
/** Number of its descriptors while it has no connection. */
let idle: number

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'spawner-'))
  const layout = await detectCgroups()
  if (!layout) throw new Error('this machine has no control groups')
  group = shimCgroups(layout, groupName).folder
  await mkdir(group)
  const program = installedPrograms(join(folder, 'native'), ['spawner']).spawner
  // In place of a shim: it reports its process id and folder, and ends with its connection.
  const shim = join(folder, 'shim')
  await writeFile(shim, '#!/bin/sh\necho $$ "$1"\nread -r line\n', { mode: 0o755 })
  spawner = spawn(program, [folder, shim], { stdio: ['pipe', 'pipe', 'inherit'], env: {} })
  if (spawner.stdout) await once(spawner.stdout, 'data')
  idle = await descriptors()
})
afterAll(async () => {
  spawner.kill('SIGKILL')
  await rm(folder, { recursive: true })
  await removeGroup(group)
})

/** The shims in it are about to end. */
const removeGroup = (path: string) =>
  waitUntil(() =>
    rmdir(path).then(
      () => true,
      () => false,
    ),
  )

/** A connection on which the bytes were sent, once the spawner has accepted it. */
async function connected(bytes: string): Promise<Socket> {
  await waitUntil(async () => (await descriptors()) === idle)
  const socket = connect({ path: join(folder, 'spawner'), allowHalfOpen: true })
  await once(socket, 'connect')
  await waitUntil(async () => (await descriptors()) === idle + 1)
  socket.write(bytes)
  return socket
}

const descriptors = async () => (await readdir(`/proc/${spawner.pid}/fd`)).length

/** Process id and folder, which the shim of the connection reports. */
async function reported(socket: Socket): Promise<[string, string]> {
  const [line] = (await once(socket, 'data')) as [Buffer]
  const [pid = '', path = ''] = line.toString().trim().split(' ')
  return [pid, path]
}

const isZombie = async (pid: string) => / Z /.test(await readFile(`/proc/${pid}/stat`, 'utf8'))

test('a shim that ends while the line of the next one arrives ends no start', async () => {
  const first = connect({ path: join(folder, 'spawner'), allowHalfOpen: true })
  first.write(`${group}\n/first\n`)
  const [pid, path] = await reported(first)
  expect(path).toBe('/first')
  const next = await connected(`${group}\n/ne`)
  first.end()
  await waitUntil(() => isZombie(pid))
  next.write('xt\n')
  expect((await reported(next))[1]).toBe('/next')
  next.end()
})

test('a connection without two whole lines is closed, and the next one is served', async () => {
  const cut = await connected(`${group}\n/cut`)
  expect(await text(cut.end())).toBe('')
  const whole = connect(join(folder, 'spawner'))
  whole.write(`${group}\n/whole\n`)
  expect((await reported(whole))[1]).toBe('/whole')
  whole.end()
})

/** A shim that the spawner has started in the group `path`, and the groups that it is in. */
async function startedIn(path: string): Promise<{ socket: Socket; groups: string }> {
  const socket = await connected(`${path}\n/one\n`)
  const [pid] = await reported(socket)
  return { socket, groups: await readFile(`/proc/${pid}/cgroup`, 'utf8') }
}

test('a shim is in its control group', async () => {
  const { socket, groups } = await startedIn(group)
  expect(groups).toContain(`/${groupName}-shims\n`)
  socket.end()
})

test('a shim is born in a control group of version 2', async () => {
  const root = await mkdtemp(join(tmpdir(), 'cgroup2-'))
  await run('mount', ['-t', 'cgroup2', 'none', root])
  onTestFinished(async () => {
    await run('umount', [root])
    await rmdir(root)
  })
  const born = join(root, groupName)
  await mkdir(born)
  const { socket, groups } = await startedIn(born)
  expect(groups).toContain(`0::/${groupName}\n`)
  socket.end()
  await removeGroup(born)
})

test('no shim is started without its control group', async () => {
  const socket = await connected(`${join(group, 'missing')}\n/one\n`)
  expect(await text(socket)).toBe('')
  socket.end()
})
