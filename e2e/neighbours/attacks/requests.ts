import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answers, type Attack, count, hammer } from '../attack.ts'
import type { Hostile } from '../companies.ts'
import { type RequestOptions, sendRequest } from '../send-request.ts'

const base = '/private/module/sandbox'

const costlyInput = Array.from({ length: 20_000 }, (_, at) => ({ at, text: `value ${at}` }))

const schemas: Attack = {
  name: 'schemas',
  about: 'input checks that take the maximum time',
  run: (hostile, signal, answers) =>
    hammer({ signal, answers, atOnce: 16 }, (stop) =>
      sendRequest(
        hostile,
        {
          path: `${base}/tasks/${hostile.costly.taskId}/versions/${hostile.costly.versionId}/input-preview`,
          json: { input: costlyInput },
        },
        stop,
      ),
    ),
}

const logins: Attack = {
  name: 'logins',
  about: 'wrong passwords, for a user of the other company and for unknown users',
  run: (hostile, signal, answers) =>
    hammer({ signal, answers, atOnce: 16 }, (stop) =>
      sendRequest(
        hostile,
        {
          path: '/public/auth/token',
          anonymous: true,
          form: {
            username: Math.random() < 0.5 ? hostile.victim : randomUUID(),
            password: randomUUID(),
          },
        },
        stop,
      ),
    ),
}

const reads: Attack = {
  name: 'reads',
  about: 'the longest pages of the history, with totals',
  run: (hostile, signal, answers) =>
    hammer({ signal, answers, atOnce: 32 }, (stop) =>
      sendRequest(hostile, { path: `${base}/runs?page_size=100` }, stop),
    ),
}

/** A run of the hostile company that prints continuously. Beside other attacks, requests are refused and connections dropped. */
async function printingRun(hostile: Hostile, signal: AbortSignal): Promise<string> {
  const runs = `${base}/chatrooms/${hostile.room}/runs`
  const json = { task_version_id: hostile.versions.followed, input: {} }
  const ask = async (options: RequestOptions): Promise<Record<string, unknown>> => {
    for (;;) {
      const answer = await sendRequest(hostile, options, signal).catch(() => undefined)
      if (answer?.status === 200) return JSON.parse(answer.body) as Record<string, unknown>
      await sleep(200, undefined, { signal })
    }
  }
  const { id } = await ask({ path: runs, json })
  while ((await ask({ path: `${runs}/${String(id)}` })).status !== 'running')
    await sleep(200, undefined, { signal })
  return `${runs}/${String(id)}`
}

const links: Attack = {
  name: 'links',
  about: 'readers of a public link that disconnect at the first bytes',
  run: (hostile, signal, answers) =>
    hammer({ signal, answers, atOnce: 60 }, (stop) =>
      sendRequest(hostile, { path: hostile.link, anonymous: true, hangUpAfter: 1 }, stop),
    ),
}

const followers: Attack = {
  name: 'logs',
  about: 'followers of a log, half of which never read',
  async run(hostile, signal, answers) {
    const run = await printingRun(hostile, signal)
    const path = `${run.replace('/sandbox/', '/sandbox_ext/')}/log/follow`
    await Promise.all([
      hammer({ signal, answers, atOnce: 50 }, (stop) => sendRequest(hostile, { path, hangUpAfter: 1 }, stop)),
      ...Array.from({ length: 50 }, () => stalled(hostile, { path, signal, answers })),
    ])
  },
}

/** Sends a request and never reads the response; reconnects when the connection is closed. */
async function stalled(
  { url, token }: Hostile,
  { path, signal, answers }: { path: string; signal: AbortSignal; answers: Answers },
): Promise<void> {
  const { hostname, port } = new URL(url)
  while (!signal.aborted) {
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    const socket = connect({ host: hostname, port: Number(port), localAddress: '127.0.0.2' })
    socket.on('error', () => undefined)
    socket.once('close', () => resolve())
    const end = () => socket.destroy()
    signal.addEventListener('abort', end, { once: true })
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`)
    socket.pause()
    count(answers, 'stalled')
    await closed
    signal.removeEventListener('abort', end)
    await sleep(50)
  }
}

const slow: Attack = {
  name: 'connections',
  about: 'connections whose requests never end',
  async run(hostile, signal, answers) {
    const { hostname, port } = new URL(hostile.url)
    const one = async () => {
      while (!signal.aborted) {
        const { promise: closed, resolve } = Promise.withResolvers<void>()
        const socket = connect({ host: hostname, port: Number(port), localAddress: '127.0.0.2' })
        socket.on('error', () => undefined)
        socket.once('close', () => resolve())
        const drip = setInterval(() => socket.write('a'), 1000)
        const end = () => socket.destroy()
        signal.addEventListener('abort', end, { once: true })
        socket.write(
          `POST ${base}/chatrooms/${hostile.room}/runs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${hostile.token}\r\nIdempotency-Key: ${randomUUID()}\r\nContent-Type: application/json\r\nContent-Length: 900000\r\n\r\n{`,
        )
        count(answers, 'opened')
        await closed
        clearInterval(drip)
        signal.removeEventListener('abort', end)
        await sleep(50)
      }
    }
    await Promise.all(Array.from({ length: 200 }, one))
  },
}

export const requestAttacks: Attack[] = [schemas, logins, reads, links, followers, slow]
