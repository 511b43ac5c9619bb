import { isDeepStrictEqual } from 'node:util'
import type { SandboxSpec } from '../../agent/port/sandbox-spec.ts'
import { isInTime } from '../../agent/port/start-in-time.ts'
import type { PodExit } from '../../kubernetes/records/pod-exit.ts'
import type {
  RecordState,
  RedeemRefusal,
  Redemption,
  SandboxRecord,
  SandboxRecords,
} from '../../kubernetes/records/sandbox-records.ts'

interface Row extends SandboxRecord {
  claimedAt: string | undefined
  podUid?: string
  credential?: { hash: Buffer; validUntilMs: number }
}

/** Records in memory. One suite holds for these and those of Postgres. */
export class MemoryRecords implements SandboxRecords {
  readonly rows = new Map<string, Row>()
  now = () => new Date()

  async place(spec: SandboxSpec): Promise<RecordState> {
    const { id, claimedAt } = spec
    if (!this.rows.has(id))
      this.rows.set(id, { id, state: 'placed', spec, claimedAt, stop: 0, exit: undefined })
    return this.#row(id).state
  }

  async redeem(id: string, redemption: Redemption): Promise<'redeemed' | RedeemRefusal> {
    const row = this.rows.get(id)
    if (!row) return 'unknown'
    const { podUid, credentialHash: hash, validMs } = redemption
    if (row.state === 'forbidden' || row.state === 'removed') return row.state
    if (row.state === 'placed') {
      if (!isInTime(row.claimedAt, this.now())) return 'claim_expired'
      const validUntilMs = this.now().getTime() + validMs
      this.rows.set(id, { ...row, state: 'redeemed', podUid, credential: { hash, validUntilMs } })
      return 'redeemed'
    }
    const isSame = row.state === 'redeemed' && row.podUid === podUid && row.credential?.hash.equals(hash)
    return isSame ? 'redeemed' : 'other_process'
  }

  async forbid(id: string): Promise<boolean> {
    const row = this.rows.get(id)
    if (row && row.state !== 'placed' && row.state !== 'forbidden') return false
    const forbidden = { id, state: 'forbidden', claimedAt: undefined, stop: row?.stop ?? 0 } as const
    this.rows.set(id, { ...forbidden, spec: undefined, exit: undefined })
    return true
  }

  async authorized(id: string, credentialHash: Buffer): Promise<SandboxRecord | undefined> {
    const row = this.rows.get(id)
    return this.#isValid(row, credentialHash) ? row : undefined
  }

  async exit(id: string, exit: PodExit, credentialHash?: Buffer): Promise<boolean> {
    const row = this.rows.get(id)
    if (!row || (credentialHash && !this.#isValid(row, credentialHash))) return false
    if (row.state === 'exited') return isDeepStrictEqual(row.exit, exit)
    if (row.state !== 'redeemed') return false
    this.rows.set(id, { ...row, state: 'exited', exit })
    return true
  }

  async stop(id: string, level: 1 | 2): Promise<RecordState | undefined> {
    const row = this.rows.get(id)
    if (row?.state === 'placed' || row?.state === 'redeemed') row.stop = level > row.stop ? level : row.stop
    return row?.state
  }

  async remove(id: string): Promise<RecordState | undefined> {
    const row = this.rows.get(id)
    if (row?.state === 'exited')
      this.rows.set(id, { ...row, state: 'removed', spec: undefined, exit: undefined })
    return this.rows.get(id)?.state
  }

  async find(id: string): Promise<SandboxRecord | undefined> {
    return this.rows.get(id)
  }

  async list(): Promise<Pick<SandboxRecord, 'id' | 'state'>[]> {
    return [...this.rows.values()]
      .filter(({ state }) => state === 'placed' || state === 'redeemed' || state === 'exited')
      .map(({ id, state }) => ({ id, state }))
  }

  #isValid(row: Row | undefined, hash: Buffer): row is Row {
    if (row?.state !== 'redeemed' && row?.state !== 'exited') return false
    const { hash: own, validUntilMs = 0 } = row.credential ?? {}
    return own?.equals(hash) === true && validUntilMs > this.now().getTime()
  }

  #row(id: string): Row {
    const row = this.rows.get(id)
    if (!row) throw new Error(`no row ${id}`)
    return row
  }
}
