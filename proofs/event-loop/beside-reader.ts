/*
 * The cost of a request for other requests, in processor time of the thread that has the event loop: how long it goes on without a turn of
 * the loop, and what it does until a reader of another company has the answer. A loaded machine changes neither: a thread that
 * waits for a processor uses none. Collections of garbage are not counted. The reader asks for what needs no database, whose answers
 * a loaded machine delays.
 */

import { once } from 'node:events'
import { Agent, get, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import { type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { expect } from 'vitest'
import type { Principal } from '../../server/access/principal.ts'
import { settleAll } from '../../server/base/settle-all.ts'
import { principalHeader, type TestApi } from '../../testing/apps/test-api.ts'

interface Noticed {
  /** The longest time between two turns of the event loop. */
  stretchMs: number
  /** Of the reader's requests, without what half of them take alone. */
  p99Ms: number
}

/** A time of this thread. */
interface Stretch {
  startMs: number
  endMs: number
  /** Processor time of the thread. */
  cpuMs: number
}

type Usage = ReturnType<typeof process.threadCpuUsage>
const msSince = (before: Usage): number => {
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** Returns a function that ends the stretch. */
function startStretch(): () => Stretch {
  const startMs = performance.now()
  const before = process.threadCpuUsage()
  return () => ({ startMs, endMs: performance.now(), cpuMs: msSince(before) })
}

type Ask = (path: string, principal: Principal) => Promise<void>

export const listening = (api: TestApi): Promise<string> => api.app.listen({ host: '127.0.0.1', port: 0 })

const headersOf = (principal: Principal) => ({ [principalHeader]: JSON.stringify(principal) })

interface Asked {
  method?: string
  headers: OutgoingHttpHeaders
  body?: string | Buffer
}

/** Asks over a connection, and drops what is answered: a client in this process that looked at it would use its time. */
export async function drain(url: string, { body, ...asked }: Asked): Promise<{ status: number }> {
  const sent = request(url, { ...asked, agent: connections })
  sent.end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  await once(answer.resume(), 'end')
  return { status: answer.statusCode ?? 0 }
}

const connections = new Agent({ keepAlive: true })

export const overConnection =
  (origin: string): Ask =>
  async (path, principal) => {
    expect((await drain(`${origin}${path}`, { headers: headersOf(principal) })).status).toBe(200)
  }

const waitingConnections = 30

/** Asks over a new connection, which is accepted after others on which nothing is asked. */
export const asNewcomer =
  (origin: string): Ask =>
  async (path, principal) => {
    const { hostname, port } = new URL(origin)
    const waiting = Array.from({ length: waitingConnections }, () => connect(Number(port), hostname))
    const asked = get(new URL(path, origin), { agent: false, headers: headersOf(principal) })
    const [answer] = await once(asked, 'response')
    expect(answer.statusCode).toBe(200)
    await once(answer.resume(), 'end')
    for (const socket of waiting) socket.destroy()
  }

/** On a machine that does the standard work in its usual time. The longest step takes half of it; what is not bounded, many times as much. */
const boundMs = 100
/** Thirty connections and their client use some of it in this process. A slice before each of them would take 300 ms. */
export const boundOfNewcomersMs = 180
const standardMs = 16
const readingsAlone = 10
/** Other things may meet any request; work that is too long is so each time. */
const attemptsMax = 10

/** Fails unless others notice at most `usualMs` of it, or as much more as this machine is slower than usual before or after. */
export async function expectUnnoticed(
  work: () => Promise<unknown>,
  read: () => Promise<unknown>,
  usualMs = boundMs,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const standardBeforeMs = standardWorkMs()
    const noticed = await noticedOf(work, read)
    const mostMs = (usualMs * Math.max(standardMs, standardBeforeMs, standardWorkMs())) / standardMs
    if (attempt < attemptsMax && Math.max(noticed.stretchMs, noticed.p99Ms) > mostMs) continue
    expect(noticed.stretchMs).toBeLessThan(mostMs)
    expect(noticed.p99Ms).toBeLessThan(mostMs)
    return
  }
}

/** The usual work of a request: new memory is written, objects are made, written as JSON and read again. */
function standardWorkMs(): number {
  const before = process.threadCpuUsage()
  const bytes = Buffer.allocUnsafeSlow(16 * 1024 * 1024).fill(1)
  const objects = Array.from({ length: 20_000 }, (_, at) => ({ path: `folder/${at}`, byte: bytes[at] }))
  JSON.parse(JSON.stringify(objects))
  return msSince(before)
}

/** Does the work while `read` is asked again and again. */
async function noticedOf(work: () => Promise<unknown>, read: () => Promise<unknown>): Promise<Noticed> {
  const collections: PerformanceEntry[] = []
  const observer = new PerformanceObserver((list) => void collections.push(...list.getEntries()))
  observer.observe({ entryTypes: ['gc'] })
  /** A collection of garbage is no work of a request: its time depends on the memory of the process and of the machine. */
  const ownMs = ({ startMs, endMs, cpuMs }: Stretch): number => {
    const within = collections.filter(({ startTime }) => startTime >= startMs && startTime <= endMs)
    return cpuMs - within.reduce((sum, { duration }) => sum + duration, 0)
  }
  let left = readingsAlone
  const alone = await readings(read, () => left-- === 0)
  let isDone = false
  const stretches: Stretch[] = []
  let end = startStretch()
  const turn = () => {
    const stretch = end()
    if (stretch.cpuMs > boundMs) stretches.push(stretch)
    end = startStretch()
    if (!isDone) setImmediate(turn)
  }
  setImmediate(turn)
  const ended = work().finally(() => {
    isDone = true
  })
  const [taken] = await settleAll([readings(read, () => isDone), ended])
  collections.push(...observer.takeRecords())
  observer.disconnect()
  return {
    stretchMs: Math.max(0, ...stretches.map(ownMs)),
    p99Ms: rank(taken.map(ownMs), 0.99) - rank(alone.map(ownMs), 0.5),
  }
}

async function readings(read: () => Promise<unknown>, isDone: () => boolean): Promise<Stretch[]> {
  const taken: Stretch[] = []
  while (!isDone()) {
    const end = startStretch()
    await read()
    taken.push(end())
  }
  return taken
}

/** By nearest rank. */
function rank(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.ceil(sorted.length * share) - 1] ?? 0
}
