import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
} from 'kysely'
import type { SandboxExit } from '../../agent/port/sandbox-exit.ts'
import { runCapacity } from '../../server/capacity/run-capacity.ts'
import type { Database } from '../../server/db/database.ts'
import type { Tables } from '../../server/db/tables.ts'
import { finishStatement } from '../../server/runs/drive/finish-run.ts'
import { failed, type RunOutcome } from '../../server/runs/model/run-outcome.ts'
import type { LeftParts } from '../../server/runs/parts/run-parts.ts'
import { sessionPart } from '../../server/runs/parts/session/session-part.ts'
import { batchStatement } from '../../server/runs/queue/claim-batch-store.ts'
import { claimStatement } from '../../server/runs/queue/claim-store.ts'
import { savedSessionCtes } from '../../server/sessions/runs/saved-session-statement.ts'
import { emptyTree } from '../../server/sessions/trees/tree.ts'

/* Statements as production makes them, for made-up runs. Their values do not stand in the text. */

/** Compiles statements; connects to nothing. */
const compiling: Database = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

const textOf = (statement: RawBuilder<unknown>): string => statement.compile(compiling).sql

const claim = {
  executor: '',
  worker: '',
  companyConcurrency: 1,
  capacity: runCapacity({ slots: 8, memoryMib: 16_384 }),
}

const run = { id: '', companyId: '', state: 'running', fence: 1, sandboxId: '' } as const
const exit: SandboxExit = {
  cause: 'exited',
  exitCode: 0,
  signal: null,
  detail: '',
  startedAt: new Date(0).toISOString(),
  endedAt: new Date(0).toISOString(),
  oomKills: 0,
  pidsLimitHits: 0,
  workspaceFull: false,
  sharedMemoryFull: false,
  peakMemoryBytes: 1,
  cpuMs: 1,
  network: { ingressBytes: 0, egressBytes: 0, refused: { entries: [], more: 0 } },
  log: { totalBytes: 0, keptBytes: 0 },
  files: {},
  tree: null,
  folder: null,
}
const completed: RunOutcome = {
  state: 'completed',
  error_code: '',
  error_detail: '',
  exit_code: 0,
  failure_stage: '',
  failure_source: '',
}
const artifact = { relativePath: '', pathHash: '', byteSize: 0, modifiedAt: 0, offset: 0, digest: '' }
const savedSession = { sessionId: '', tree: emptyTree, content: Buffer.alloc(0), pack: undefined }

/** Of the parts that leave rows. */
export const leftParts: LeftParts = new Map([[sessionPart, { finish: () => savedSessionCtes(savedSession) }]])

interface PrintedStatement {
  about: string[]
  sql: string
}

/** By the file of docs/sql that prints them. */
export const printedStatements: Record<string, PrintedStatement[]> = {
  claim: [
    {
      about: [
        'A claim takes the next run in the order of the queue (server/runs/queue/claim-store.ts).',
        'Numbers of runs and MiB are those of a machine with 8 slots and 16 GiB. They stand in the text, as all values do when it',
        'is executed (server/db/fast/planned-once.ts). A claim that found nothing to start asks again for further companies.',
      ],
      sql: textOf(claimStatement(claim, { skipped: 0, tried: 1 })),
    },
  ],
  'claim-batch': [
    {
      about: [
        'A claim of up to 32 runs, where memory sets no bound (server/runs/queue/claim-batch-store.ts). One such statement is executed at',
        'a time. Numbers are those of an executor with 8 slots.',
      ],
      sql: textOf(
        batchStatement({ ...claim, capacity: runCapacity({ slots: 8 }) }, { size: 32, skipped: 0, tried: 1 }),
      ),
    },
  ],
  finish: [
    {
      about: [
        'The end of a run that left all that a run can: results, artifacts, refused connections, a changed session',
        '(server/runs/drive/finish-run.ts). Triggers on `runs`, `state_events` and the tables of results do the rest (triggers.md).',
      ],
      sql: textOf(
        finishStatement(run, {
          outcome: completed,
          exit,
          results: { output: null, log: null, bundle: null, artifacts: [artifact], parts: leftParts },
        }),
      ),
    },
    {
      about: ['The end of a run that was not started, because its image is gone from storage.'],
      sql: textOf(finishStatement(run, { outcome: failed('image_unavailable') })),
    },
  ],
}
