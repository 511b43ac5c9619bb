import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Attack, count, hammer } from '../attack.ts'
import { type RequestOptions, sendRequest } from '../send-request.ts'

/* Resources of one process that all companies share and that are few: connections, locks, threads. */

const sandbox = '/private/module/sandbox'
const extension = '/private/module/sandbox_ext'
const rowsOf = (table: string) => `/private/module/custom_tables/tables/${table}/rows`

const tables: Attack = {
  name: 'tables',
  about: 'large rows for one table with triggers, which all wait for its lock',
  run: (hostile, signal, answers) =>
    hammer({ signal, answers, atOnce: 400 }, (stop) =>
      sendRequest(
        hostile,
        { path: rowsOf(hostile.table), json: { values: { text: 'x'.repeat(60_000) } } },
        stop,
      ),
    ),
}

const silentConnections = 8400
/** Connections that are opened at the same time: more than the system's queue of them would be dropped by the kernel. */
const openersAtOnce = 64

const silence: Attack = {
  name: 'silence',
  about: 'more connections than the service has, from many addresses, on which nothing is sent',
  async run({ url }, signal, answers) {
    const { hostname, port } = new URL(url)
    let next = 0
    const keepOpen = async (localAddress: string) => {
      const { promise: closed, resolve } = Promise.withResolvers<void>()
      const { promise: opened, resolve: open } = Promise.withResolvers<void>()
      const socket = connect({ host: hostname, port: Number(port), localAddress })
      const end = () => socket.destroy()
      signal.addEventListener('abort', end, { once: true })
      socket.once('connect', () => {
        count(answers, 'opened')
        open()
      })
      socket.on('error', () => count(answers, 'error'))
      socket.once('close', () => {
        signal.removeEventListener('abort', end)
        open()
        resolve()
      })
      socket.resume()
      await opened
      return closed
    }
    const held = new Set<Promise<void>>()
    const opener = async () => {
      while (!signal.aborted) {
        if (held.size >= silentConnections) {
          await sleep(50)
          continue
        }
        next += 1
        const connection = keepOpen(`127.0.${1 + (next % 200)}.${1 + (next % 250)}`).then((closed) => closed)
        held.add(connection)
        void connection.then(() => held.delete(connection))
        await sleep(5)
      }
    }
    await Promise.all(Array.from({ length: openersAtOnce }, opener))
    await Promise.all(held)
  },
}

const strangers: Attack = {
  name: 'strangers',
  about: 'one wrong password in flight from each of 80 addresses, for a user of the other company',
  async run(hostile, signal, answers) {
    const from = (localAddress: string) =>
      hammer({ signal, answers, atOnce: 1 }, (stop) =>
        sendRequest(
          hostile,
          {
            path: '/public/auth/token',
            anonymous: true,
            form: { username: hostile.victim, password: randomUUID() },
            localAddress,
          },
          stop,
        ),
      )
    await Promise.all(Array.from({ length: 80 }, (_, at) => from(`127.0.2.${at + 1}`)))
  },
}

const resources: Attack = {
  name: 'resources',
  about: 'every kind of place that a process has few of, at once',
  async run(hostile, signal, answers) {
    const { costly, link, table } = hostile
    const version = `${sandbox}/tasks/${costly.taskId}/versions/${costly.versionId}`
    const requests: RequestOptions[] = [
      { path: `${version}/input-preview`, json: { input: Array.from({ length: 20_000 }, (_, at) => at) } },
      { path: rowsOf(table), json: { values: { text: 'x' } } },
      { path: `${rowsOf(table)}?filter=${encodeURIComponent('text:contains:y')}` },
      { path: `${rowsOf(table)}/export` },
      { path: `${extension}/usage?by=day&by=task&by=person` },
      { path: `${extension}/audit/export` },
      { path: link, anonymous: true },
      { path: `${sandbox}/runs?page_size=100` },
      // A login that exists: its password is hashed first.
      {
        path: '/private/platform/users',
        json: { login: hostile.victim, password: randomUUID(), role: 1 },
      },
    ]
    await Promise.all(
      requests.map((options) =>
        hammer({ signal, answers, atOnce: 40 }, (stop) => sendRequest(hostile, options, stop)),
      ),
    )
  },
}

export const sharedAttacks: Attack[] = [tables, silence, strangers, resources]
