import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createLog } from '../../server/base/logging.ts'
import { connect } from '../../server/db/database.ts'
import { migrate } from '../../server/db/migrate.ts'
import { startPostgres } from '../../server/postgres/postgres.ts'
import { World } from '../conformance/world.ts'
import { type Fault, Fuzz } from './fuzz.ts'

/*
 * Random mutations of requests from the route table, sent to the whole API on a separate Postgres. Each
 * runs against the initial world, so its line alone reproduces a failure: `--seed S --only NUMBER`.
 * A response has to be one that its route documents.
 */
const usage = 'node proofs/fuzz/main.ts [--requests N] [--seed S] [--only NUMBER]'
const shownMax = 20
const timeMaxMs = 30 * 60_000

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    only: { type: 'string' },
  },
})
const seed = wholeNumber(values.seed)
const first = values.only === undefined ? 0 : wholeNumber(values.only)
const end = values.only === undefined ? wholeNumber(values.requests) : first + 1

function wholeNumber(text: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text)
  console.error(`usage: ${usage}`)
  process.exit(2)
}

const folder = mkdtempSync(join(tmpdir(), 'sandbox-fuzz-postgres-'))
const postgres = await startPostgres({ dataDir: folder })
try {
  process.exitCode = await run(postgres.url)
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function run(url: string): Promise<number> {
  const db = connect(url, { poolSize: 1, log: createLog('fuzz', 'silent'), name: 'fuzz' })
  await migrate(db)
  await db.destroy()
  const world = await World.make(url)
  try {
    return await tryAll(world)
  } finally {
    await world.close()
  }
}

async function tryAll(world: World): Promise<number> {
  const fuzz = new Fuzz(world, seed)
  const faults: Fault[] = []
  const startedMs = Date.now()
  let cases = 0
  for (let number = first; number < end && Date.now() - startedMs < timeMaxMs; number += 1) {
    const fault = await fuzz.try(number)
    cases += 1
    if (!fault) continue
    faults.push(fault)
    if (faults.length <= shownMax) console.log(lineOf(fault))
  }
  summarize(faults, fuzz)
  console.log(JSON.stringify({ suite: 'fuzz', seed, cases, failed: faults.length }))
  return faults.length > 0 ? 1 : 0
}

function lineOf({ number, route, caller, fault, request }: Fault): string {
  const { method, url, headers, payload } = request
  const sent = { method, url: url.slice(0, 500), headers, body: payload?.toString('utf8').slice(0, 300) }
  return JSON.stringify({ seed, number, route, caller, fault, sent })
}

function summarize(faults: Fault[], { statuses }: Fuzz): void {
  const kinds = Map.groupBy(faults, ({ route, fault }) => `${route}: ${fault}`)
  for (const [kind, { length }] of kinds) console.log(`${length} times ${kind}`)
  const counts = [...statuses].sort(([one], [other]) => one - other)
  console.log(`answers by status: ${counts.map(([status, count]) => `${status}: ${count}`).join(', ')}`)
}
