import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { Duplex } from 'node:stream'
import { pathToFileURL } from 'node:url'

/*
 * The minimum of a service on graphile-worker: each job spawns one command. For each line on standard input, a
 * number, that many jobs are added and carried out; the reply is a line with the milliseconds.
 *
 *   graphile-crun.ts ENTRY DATABASE_URL CONCURRENCY STDIN COMMAND...
 *
 * `SLOT` and `ID` in the command are replaced by a free slot, counted from 0, and a name of the run.
 */

/** The part of graphile-worker that is used here; it is installed outside the project. */
interface Worker {
  addJob(name: string, payload: unknown): Promise<unknown>
  stop(): Promise<void>
}
interface Graphile {
  run: (options: object) => Promise<Worker>
}

const [entry = '', url, concurrencyText, stdin = '', ...command] = process.argv.slice(2)
const concurrency = Number(concurrencyText)
const loaded = await import(pathToFileURL(entry).href)
const { run } = (loaded.default ?? loaded) as Graphile
const freeSlots = Array.from({ length: concurrency }, (_, slot) => slot)
let ids = 0
let remaining = 0
let finished = Promise.withResolvers<void>()

async function spawnOne(): Promise<void> {
  const slot = freeSlots.pop()
  if (slot === undefined) throw new Error('more jobs than slots')
  ids += 1
  const [program = '', ...args] = command.map((word) =>
    word.replace('SLOT', String(slot)).replace('ID', `graphile-${ids}`),
  )
  const input = await open(stdin)
  try {
    // A socket like that of a shim: it sends nothing, and what it receives is dropped.
    const child = spawn(program, args, { stdio: [input.fd, 'ignore', 'inherit', 'pipe'] })
    const shim = child.stdio[3] as Duplex
    shim.on('error', () => {}).resume()
    const [exitCode] = await once(child, 'exit')
    if (exitCode !== 0) throw new Error(`${program} ended with ${exitCode}`)
  } finally {
    await input.close()
    freeSlots.push(slot)
  }
  remaining -= 1
  if (remaining === 0) finished.resolve()
}

const quietLogger = { error: console.error, warn() {}, info() {}, debug() {} }
const worker = await run({
  connectionString: url,
  concurrency,
  noHandleSignals: true,
  taskList: { spawn: spawnOne },
  logger: new loaded.Logger(
    () => (level: keyof typeof quietLogger, message: string) => quietLogger[level]?.(message),
  ),
})
process.stdout.write('ready\n')
for await (const line of createInterface({ input: process.stdin })) {
  remaining = Number(line)
  finished = Promise.withResolvers()
  const jobs = Array.from({ length: remaining }, () => ({ identifier: 'spawn', payload: {} }))
  const startedAt = performance.now()
  await Promise.all(jobs.map(({ identifier, payload }) => worker.addJob(identifier, payload)))
  await finished.promise
  process.stdout.write(`${performance.now() - startedAt}\n`)
}
await worker.stop()
process.exit(0)
