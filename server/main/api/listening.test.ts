import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'

/** Holds a listening socket as systemd does, and starts the program with it for each line that it reads, one after the other. */
const holder = `
import socket, subprocess, sys
held = socket.create_server(('127.0.0.1', 0))
print(held.getsockname()[1], flush=True)
for line in sys.stdin:
    started = subprocess.Popen([*sys.argv[1:], line.strip()], pass_fds=[held.fileno()], stdin=subprocess.DEVNULL)
    print(started.pid, flush=True)
    print('ended', started.wait(), flush=True)
`
/** An API that answers with the id of its process. */
const api = `
import { fastify } from '${import.meta.resolve('fastify')}'
import { Listening } from '${join(import.meta.dirname, 'listening.ts')}'
const app = fastify()
app.get('/', async () => String(process.pid))
const port = Number(process.argv.at(-1))
const listening = await Listening.start(app, { host: '', port, setting: 'SANDBOX_PORT', backlog: 100, given: [3] }).catch((error) => {
  console.log(error.message, error.exitCode)
  process.exit(1)
})
process.on('SIGTERM', () => listening.close().then(() => process.exit(0)))
console.log('listens')
`

let held: ChildProcess
let lines: AsyncIterator<string>
let reader: Interface
const next = async () => (await lines.next()).value as string

beforeEach(() => {
  const argv = ['-c', holder, process.execPath, '--input-type=module', '--eval', api, '--']
  const child = spawn('python3', argv, { stdio: ['pipe', 'pipe', 'inherit'] })
  held = child
  reader = createInterface({ input: child.stdout })
  lines = reader[Symbol.asyncIterator]()
})
afterEach(async () => {
  const exited = once(held, 'close')
  held.stdin?.end()
  await exited
})

test('a restart refuses no connection: those that come meanwhile are answered by the next process', async () => {
  const port = await next()
  const answer = async () => {
    const request = get({ port, host: '127.0.0.1', agent: false })
    const [response] = await once(request, 'response')
    return text(response)
  }
  const startsBefore = answer()
  held.stdin?.write(`${port}\n`)
  const first = await next()
  expect([await next(), await startsBefore, await answer()]).toEqual(['listens', first, first])
  process.kill(Number(first))
  expect(await next()).toBe('ended 0')
  const between = answer()
  held.stdin?.write(`${port}\n`)
  const second = await next()
  expect([await next(), await between]).toEqual(['listens', second])
  process.kill(Number(second))
  await next()
})

test('a connection that was accepted before the process stops is answered when its request comes', async () => {
  const port = await next()
  held.stdin?.write(`${port}\n`)
  const pid = await next()
  expect(await next()).toBe('listens')
  const socket = connect(Number(port), '127.0.0.1')
  await once(socket, 'connect')
  // Accepted, because the connection after it is answered.
  await text((await once(get({ port, host: '127.0.0.1', agent: false }), 'response'))[0])
  process.kill(Number(pid))
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
  expect(await text(socket)).toMatch(new RegExp(`^HTTP/1.1 200 [^]*${pid}$`))
  expect(await next()).toBe('ended 0')
})

test('a socket of another port than that of the settings is refused', async () => {
  const port = await next()
  held.stdin?.write('1\n')
  await next()
  expect(await next()).toBe(
    `the socket that the service was given listens on port ${port}, and SANDBOX_PORT is 1: change one of them 2`,
  )
  expect(await next()).toBe('ended 1')
})
