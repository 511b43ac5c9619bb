import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installedPrograms } from '../../../server/native-programs/installed.ts'
import { waitUntil } from '../../../testing/agent/test-agent.ts'

let folder: string
let spawner: ChildProcess
/** Number of its descriptors while it has no connection. */
let idle: number

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'spawner-'))
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
})

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
  first.write('/first\n')
  const [pid, path] = await reported(first)
  expect(path).toBe('/first')
  const next = await connected('/ne')
  first.end()
  await waitUntil(() => isZombie(pid))
  next.write('xt\n')
  expect((await reported(next))[1]).toBe('/next')
  next.end()
})

test('a connection without a whole line is closed, and the next one is served', async () => {
  const cut = await connected('/cut')
  expect(await text(cut.end())).toBe('')
  const whole = connect(join(folder, 'spawner'))
  whole.write('/whole\n')
  expect((await reported(whole))[1]).toBe('/whole')
  whole.end()
})
