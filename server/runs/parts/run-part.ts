import type { JobEnvironment } from '@sandbox-jobs/contract/resources/environments/job-prelude.ts'
import type { ExtendedSubmitRequest } from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import type { ManualRunSubmitRequest } from '@sandbox-jobs/contract/resources/runs/run.ts'
import type { RawBuilder } from 'kysely'
import type { KnownContent } from '../../../agent/port/known-contents.ts'
import type { SandboxExit } from '../../../agent/port/sandbox-exit.ts'
import type { SandboxSpec } from '../../../agent/port/sandbox-spec.ts'
import type { Principal } from '../../access/principal.ts'
import type { Database, Executing, Trx } from '../../db/database.ts'
import type { ColumnExpressions } from '../../db/fast/row-text.ts'
import type { FindRunDeps } from '../lookup/readable-run.ts'
import type { ClaimedRun, JobRow } from '../model/claimed-run.ts'
import type { RunOutcome } from '../model/run-outcome.ts'

/**
 * A thing that a run carries beside its input, from the request to its end. `run-parts.ts` lists all of them, and each phase goes
 * through that list: nothing else knows a part by name.
 *
 * `Row`: columns of the statement that reads a claimed run. `Tools`: of the worker. `Shown`: fields of a rendered run.
 */
export interface RunPart<Row extends object = object, Tools = object, Shown extends object = object> {
  /** Its field in a request, if it has one. */
  name: string

  /** Submission: what the fields of a request ask for; undefined for nothing. Throws for fields of a wrong form. */
  ask?: (fields: AskedFields) => Asked | undefined
  /** Submission of a run that replays an earlier one: what that one carried; undefined for nothing. */
  askAgain?: (db: Database, earlier: RunName) => Promise<PartLock | undefined>

  /** Start: SQL expressions over `run`, `v` (its task version) and `i` (its input). */
  columns?: ColumnExpressions<Row>
  /** Start: what the sandbox gets, or how the run ends without one; undefined for a run that carries nothing of the kind. */
  prepare?: (
    tools: Tools,
    job: JobRow & Row,
    run: ClaimedRun,
  ) => Promise<PreparedPart | RunOutcome | undefined>
  /** Start: how a run ends for which `prepare` kept throwing this error; undefined for other errors. */
  endedBy?: (error: unknown) => RunOutcome | undefined

  /** End: stores what the run left; undefined where there is nothing. Idempotent. */
  collect?: (tools: Tools, run: ClaimedRun, exit: SandboxExit) => Promise<LeftPart | undefined>
  /** End: removes what no row refers to since a `LeftPart.finish` was written. Logs its failures. */
  release?: (tools: Tools, run: ClaimedRun) => Promise<void>

  /** Reading: its fields of each run of a company. */
  show?: (db: Executing, companyId: string, runIds: readonly string[]) => Promise<(runId: string) => Shown>
  /** Retention: deletes its rows of runs whose content ends. */
  retire?: (trx: Trx, runIds: readonly string[], companyIds: readonly string[]) => Promise<unknown>
}

export type AskedFields = Omit<ExtendedSubmitRequest, keyof ManualRunSubmitRequest>

/** The columns of a run's row by which others refer to it. */
export interface RunName {
  id: string
  company_id: string
}

export interface Asked {
  /** As it stands in the hash of the request. */
  described: unknown
  /** Whether the submitter may have it. Throws the errors of a submission. */
  want: (deps: FindRunDeps, submitter: Pick<LockingRun, 'principal' | 'chatroomId'>) => Promise<PartLock>
}

/** A run that is not queued yet. */
export interface LockingRun {
  principal: Principal
  chatroomId: string
  resourceProfile: string
}

/**
 * Locks what a run will carry until the transaction that queues it has ended. It is called before the queues are locked, so that
 * nobody waits in the queue for it.
 */
export type PartLock = (trx: Trx, run: LockingRun) => Promise<LockedPart>

export interface LockedPart {
  /** Bytes that are stored with the input. */
  byteSize?: number
  /** Another run has it: this one waits in the queue until it is free. */
  waits?: boolean
  /** Throws for a run that is refused instead of waiting. */
  requireFree?: () => void
  /** Stores it with the row of the run, which the same transaction has made. */
  keep: (trx: Trx, run: RunName) => Promise<unknown>
}

/** A part as a sandbox gets it. */
export interface PreparedPart {
  env?: Partial<Pick<JobEnvironment, 'secrets' | 'callback'>>
  /** Files as blocks of the workspace archive; those without a time get `modifiedAt`. Those of later parts win. */
  blocks?: (modifiedAt: number) => AsyncIterable<Buffer>
  /** Values that are masked in the log. */
  masks?: readonly string[]
  /** Contents of files in `folder` that need not be collected again. */
  known?: readonly KnownContent[]
  /** A folder to collect, and its limits. */
  folder?: SandboxSpec['collect']['folder']
  /** The sandbox reaches the service's own address. */
  network?: 'service'
  /** Directly before the start: the change of the run that may no longer start with it. */
  recheck?: () => Promise<StartChange | undefined>
  /** Resolves when what is written of it is durable; a run that does not start waits for it. */
  written?: Promise<unknown>
}

/** A run that may not start is queued again, or ends. */
export type StartChange = 'requeue' | RunOutcome

export const isOutcome = <Prepared extends object>(prepared: Prepared | RunOutcome): prepared is RunOutcome =>
  'state' in prepared

/** Results that a run left of a part. */
export interface LeftPart {
  /** The last line of the log. */
  line?: string
  /** How the run ends, by how its program ended. */
  outcome?: (own: RunOutcome) => RunOutcome
  /** CTEs of the statement that ends the run in `moved`. */
  finish?: () => RawBuilder<unknown>
}
