import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { SigningKeys } from '../server/base/keys/signing-keys.ts'
import { acrossCompanies } from '../server/db/across-companies.ts'
import type { Database } from '../server/db/database.ts'
import { chainAudit, signHeads } from '../server/operations/audit/chain-audit.ts'
import { verifyChain } from '../server/operations/audit/verify-audit.ts'
import type { Benchmark } from './harness/measure/benchmark.ts'
import { machineNote } from './harness/measure/machine-note.ts'
import { rounded } from './harness/measure/percentile.ts'
import { figuresOf, type Row } from './harness/measure/row.ts'
import { startDatabase } from './harness/service/own-database.ts'

const companyId = 'cmp_bench'
const rowsAtOnce = 50_000
const limitMs = 60_000
const entriesOfLimit = 1_000_000
const clock = { now: () => new Date() }

/** Verification of a long audit log; docs in bench/README.md. */
export const auditVerify: Benchmark = {
  name: 'audit-verify',
  about: 'verification of an audit log of 1,000,000 entries',
  run: async ({ rows, say }) => {
    const database = await startDatabase(2)
    const { db } = database
    const note = machineNote()
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-bench-audit-'))
    try {
      say(`audit-verify: chaining ${rows} entries`)
      const chainedMs = await chainRows(db, rows)
      const signing = new SigningKeys(folder)
      await signHeads({ db, signing, clock })
      say('audit-verify: verifying them')
      const startedAt = performance.now()
      const { broken, entries } = await verifyChain(db, companyId, { trusted: signing.trusted(), clock })
      const tookMs = performance.now() - startedAt
      if (broken || entries !== rows) throw new Error(`verified ${entries}: ${JSON.stringify(broken)}`)
      return [rowOf({ rows, tookMs, chainedMs }, note())]
    } finally {
      rmSync(folder, { recursive: true })
      await database.stop()
    }
  },
}

/** Returns the milliseconds of chaining them. */
async function chainRows(db: Database, rows: number): Promise<number> {
  let tookMs = 0
  for (let done = 0; done < rows; done += rowsAtOnce) {
    const count = Math.min(rowsAtOnce, rows - done)
    await sql`${acrossCompanies('a benchmark')}
      insert into audit_pending (company_id, change, object_type, object_id, run_id, from_state, to_state, context)
      select ${companyId}, 'state', 'run', id, id, 'queued', 'starting',
        '{"action":"submitRun","actor_type":"user","actor_id":"usr_019abf3c5d7e7a10b2c4d6e8f0a1b3c5","request_id":"019abf3c5d7e7a10b2c4d6e8f0a1b3c5"}'
      from (select 'run_' || md5((${done}::int + n)::text) as id from generate_series(1, ${count}::int) n) made
    `.execute(db)
    const startedAt = performance.now()
    await chainAudit(db)
    tookMs += performance.now() - startedAt
  }
  return tookMs
}

interface Took {
  rows: number
  tookMs: number
  chainedMs: number
}

function rowOf({ rows, tookMs, chainedMs }: Took, machine: string): Row {
  const allowedMs = (limitMs * rows) / entriesOfLimit
  const perSecond = Math.round((rows / chainedMs) * 1000)
  return {
    name: 'audit-verify',
    ours: figuresOf([tookMs]),
    peer: `${limitMs / 1000} s for ${entriesOfLimit} entries`,
    peer_ms: allowedMs,
    ratio: rounded(tookMs / allowedMs),
    reach: 'at most 1 x',
    met: tookMs <= allowedMs,
    floor: {},
    cpu_ms: { ours: null, peer: null },
    notes: [
      `audit-verify: ${rows} entries verified in ${(tookMs / 1000).toFixed(1)} s; the worker chains ${perSecond} entries a second`,
      machine,
    ],
  }
}
