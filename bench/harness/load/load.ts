import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Placeholder in a request for a number that is different each time it is sent. */
export const freshNumber = '#'.repeat(16)

export interface LoadRequest {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body?: string
}

/** The result of keeping connections busy for a time. */
export interface LoadResult {
  answers: number
  ratePerSecond: number
  p50Ms: number
  p99Ms: number
}

/** Compiles the load generator into `folder` and returns its path. */
export async function buildLoad(folder: string): Promise<string> {
  const target = join(folder, 'load')
  const source = join(import.meta.dirname, 'load.c')
  await run('cc', ['-O2', '-Wall', '-Wextra', '-Werror', '-o', target, source])
  return target
}

export interface LoadPlan {
  /** Path of the compiled generator; a file is written next to it. */
  load: string
  port: number
  connections: number
  durationMs: number
  /** At least one per connection; connection n sends every CONNECTIONS-th, starting at n. */
  requests: readonly LoadRequest[]
}

/** Sends the requests from a separate process. Rejects when a response is not 2xx. */
export async function putUnderLoad(plan: LoadPlan): Promise<LoadResult> {
  const file = `${plan.load}-${randomUUID()}`
  await writeFile(file, plan.requests.map(textOf).join(''))
  try {
    const numbers = [plan.port, plan.connections, plan.durationMs].map(String)
    const { stdout } = await run(plan.load, [...numbers, file])
    const [answers = 0, ns = 0, p50Ns = 0, p99Ns = 0, refused = 0, status = 0] = stdout.split(' ').map(Number)
    if (refused > 0)
      throw new Error(`${refused} of ${answers} responses were not 2xx, one of them with ${status}`)
    return { answers, ratePerSecond: (answers * 1e9) / ns, p50Ms: p50Ns / 1e6, p99Ms: p99Ns / 1e6 }
  } finally {
    await rm(file, { force: true })
  }
}

function textOf({ method, path, headers, body = '' }: LoadRequest): string {
  const sent = {
    host: '127.0.0.1',
    ...headers,
    ...(body && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
  }
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`)
  const text = `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
  return `${Buffer.byteLength(text)}\n${text}`
}
