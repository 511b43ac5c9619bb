import { once } from 'node:events'
import { connect } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type FastifyInstance, fastify } from 'fastify'
import { afterEach, expect, test } from 'vitest'
import { freePort } from '../../postgres/free-port.ts'
import { Acceptors, acceptorsPerPort } from './acceptors.ts'

const host = '127.0.0.1'
const waiting = 256
let app: FastifyInstance
let acceptors: Acceptors
let port: number

async function listen(): Promise<void> {
  app = fastify()
  app.get('/', async () => 'answered')
  acceptors = new Acceptors(app)
  port = await freePort()
  await acceptors.listen({ host, port, backlog: 4096 })
}

afterEach(async () => {
  const ended = acceptors.stop()
  await app.close()
  await ended
})

test('a turn of the event loop accepts several of the connections that wait', async () => {
  await listen()
  let accepted = 0
  app.server.on('connection', () => {
    accepted += 1
  })
  const sockets = Array.from({ length: waiting }, () => connect(port, host))
  // The kernel completes them before the process accepts them.
  let turns = 0
  for (; accepted < waiting; turns += 1) await nextTurn()
  for (const socket of sockets) socket.destroy()
  expect(turns).toBeLessThan(waiting / 2)
})

test('connections of each descriptor are answered, and end before the app counts as stopped', async () => {
  await listen()
  const sockets = Array.from({ length: 4 * acceptorsPerPort }, () => connect({ port, host }))
  const answers = sockets.map(async (socket) => {
    socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
    const [data] = (await once(socket, 'data')) as [Buffer]
    return data.toString().split('\r\n').at(-1)
  })
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['answered']))
  const ended = acceptors.stop()
  await app.close()
  await ended
  const closed = sockets
    .filter(({ readableEnded }) => !readableEnded)
    .map((socket) => once(socket.resume(), 'end'))
  await Promise.all(closed)
})
