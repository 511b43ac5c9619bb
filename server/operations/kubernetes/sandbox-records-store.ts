import { type RawBuilder, sql } from 'kysely'
import type { SandboxSpec } from '../../../agent/port/sandbox-spec.ts'
import { startableMs } from '../../../agent/port/start-in-time.ts'
import type { PodExit } from '../../../kubernetes/records/pod-exit.ts'
import type {
  RecordState,
  RedeemRefusal,
  Redemption,
  SandboxRecord,
  SandboxRecords,
} from '../../../kubernetes/records/sandbox-records.ts'
import type { Executing } from '../../db/database.ts'

const live = sql`state in ('placed', 'redeemed', 'exited')`
const columns = sql`id, state, spec, stop, exit`
const inTime = sql`(claimed_at is null or claimed_at between
  clock_timestamp() - make_interval(secs => ${sql.lit(startableMs / 1000)})
  and clock_timestamp() + make_interval(secs => ${sql.lit(startableMs / 1000)}))`

interface Row extends Omit<SandboxRecord, 'spec' | 'exit'> {
  spec: SandboxSpec | null
  exit: PodExit | null
}

const recordOf = ({ spec, exit, ...row }: Row): SandboxRecord => ({
  ...row,
  spec: spec ?? undefined,
  exit: exit ?? undefined,
})

/** The records of one executor in the database. */
export class StoredRecords implements SandboxRecords {
  readonly #db: Executing
  readonly #executor: string

  constructor(db: Executing, executor: string) {
    this.#db = db
    this.#executor = executor
  }

  async place(spec: SandboxSpec): Promise<RecordState> {
    const [row] = await this.#rows<{ state: RecordState }>(sql`
      insert into sandbox_records as found (id, executor, state, claimed_at, spec)
      values (${spec.id}, ${this.#executor}, 'placed', ${spec.claimedAt ?? null}, ${JSON.stringify(spec)})
      on conflict (id) do update set id = found.id
      returning state`)
    if (!row) throw new Error('a record is neither made nor there')
    return row.state
  }

  async redeem(
    id: string,
    { podUid, credentialHash, validMs }: Redemption,
  ): Promise<'redeemed' | RedeemRefusal> {
    const rows = await this.#rows(sql`
      update sandbox_records set state = 'redeemed', pod_uid = ${podUid}, credential_hash = ${credentialHash},
        valid_until = coalesce(valid_until, clock_timestamp() + make_interval(secs => ${validMs / 1000}))
      where id = ${id} and (state = 'placed' and ${inTime}
        or state = 'redeemed' and pod_uid = ${podUid} and credential_hash = ${credentialHash})
      returning id`)
    return rows.length > 0 ? 'redeemed' : this.#refusalOf(id)
  }

  /** Only to say why: what is true now may have become true since. */
  async #refusalOf(id: string): Promise<RedeemRefusal> {
    const state = (await this.find(id))?.state
    if (state === undefined) return 'unknown'
    if (state === 'placed') return 'claim_expired'
    return state === 'forbidden' || state === 'removed' ? state : 'other_process'
  }

  async forbid(id: string): Promise<boolean> {
    const rows = await this.#rows(sql`
      insert into sandbox_records as found (id, executor, state) values (${id}, ${this.#executor}, 'forbidden')
      on conflict (id) do update set state = 'forbidden', spec = null
        where found.state in ('placed', 'forbidden')
      returning id`)
    return rows.length > 0
  }

  async authorized(id: string, credentialHash: Buffer): Promise<SandboxRecord | undefined> {
    const [row] = await this.#rows<Row>(sql`
      select ${columns} from sandbox_records
      where id = ${id} and state in ('redeemed', 'exited') and ${isOf(credentialHash)}`)
    return row && recordOf(row)
  }

  async exit(id: string, exit: PodExit, credentialHash?: Buffer): Promise<boolean> {
    const text = JSON.stringify(exit)
    const rows = await this.#rows(sql`
      update sandbox_records set state = 'exited', exit = ${text}::jsonb
      where id = ${id} and (state = 'redeemed' or state = 'exited' and exit = ${text}::jsonb)
        and ${credentialHash ? isOf(credentialHash) : sql`true`}
      returning id`)
    return rows.length > 0
  }

  async stop(id: string, level: 1 | 2): Promise<RecordState | undefined> {
    const rows = await this.#rows<{ state: RecordState }>(sql`
      update sandbox_records set stop = greatest(stop, ${level})
      where id = ${id} and state in ('placed', 'redeemed')
      returning state`)
    return rows[0]?.state ?? (await this.find(id))?.state
  }

  async remove(id: string): Promise<RecordState | undefined> {
    await this.#rows(sql`
      update sandbox_records set state = 'removed', spec = null, exit = null
      where id = ${id} and state = 'exited'
      returning id`)
    return (await this.find(id))?.state
  }

  async find(id: string): Promise<SandboxRecord | undefined> {
    const [row] = await this.#rows<Row>(sql`select ${columns} from sandbox_records where id = ${id}`)
    return row && recordOf(row)
  }

  async list(): Promise<Pick<SandboxRecord, 'id' | 'state'>[]> {
    return this.#rows(
      sql`select id, state from sandbox_records where executor = ${this.#executor} and ${live}`,
    )
  }

  async #rows<T>(statement: RawBuilder<unknown>): Promise<T[]> {
    const { rows } = await statement.execute(this.#db)
    return rows as T[]
  }
}

const isOf = (credentialHash: Buffer) =>
  sql`credential_hash = ${credentialHash} and valid_until > clock_timestamp()`

const keptDays = 30

/**
 * Forgets ids that nothing can start any more: their claims are far older than a start may be. All executors, also those that are gone.
 */
export async function dropOldRecords(db: Executing, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from sandbox_records where id in (
      select id from sandbox_records
      where made_at < clock_timestamp() - make_interval(days => ${sql.lit(keptDays)})
      order by made_at limit ${limit}
    )`.execute(db)
  return Number(numAffectedRows)
}
