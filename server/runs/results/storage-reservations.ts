import { logMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import type { SandboxExit } from '../../../agent/port/sandbox-exit.ts'
import { Counts } from '../../fairness/counts.ts'
import { SerialByKey } from '../../fairness/serial-by-key.ts'
import { outputName } from '../model/result-layout.ts'

/**
 * Results up to this size are stored without reading the company's quota, so that small results cost no statement. A company
 * with a full quota starts no run, so it exceeds the quota by at most this much per active run.
 */
const smallBytes = 64 * 1024

/** Bytes of an artifact's row, as `db/schema/counted.sql` counts them. A path has one character for each byte. */
const recordBytes = (path: string): number => 2 * path.length + 512

/** Bytes of a sandbox's results that would be stored. */
export function contentBytes({ log, files, tree }: SandboxExit): number {
  const output = files[outputName]
  const outputBytes = output?.status === 'present' ? output.byteSize : 0
  const artifacts = tree?.status === 'collected' ? tree.files : []
  const treeBytes = artifacts.reduce((sum, { path, byteSize }) => sum + byteSize + recordBytes(path), 0)
  return Math.min(log.keptBytes, logMaxBytes) + outputBytes + treeBytes
}

/**
 * Reserves quota for the results of runs before they are stored: each of several runs that end together sees the earlier
 * reservations, so none exceeds the quota. In memory of one worker, which executes all runs of its machine. After a crash
 * the bytes of a reservation are either counted or not stored permanently.
 */
export class StorageReservations {
  readonly #storageLeft: (companyId: string) => Promise<number | null>
  /** Bytes that are being stored and not counted yet. */
  readonly #reserved = new Counts()
  /** A company reads its quota once at a time. */
  readonly #serial = new SerialByKey()
  /** The present read of each company, and whether a reservation was released during it. */
  readonly #reads = new Map<string, { hasRelease: boolean }>()

  /** `storageLeft`: bytes that a company may still store; null: no limit. */
  constructor(storageLeft: (companyId: string) => Promise<number | null>) {
    this.#storageLeft = storageLeft
  }

  /** Returns a function that releases the reservation once the bytes are counted. Undefined: the quota has no room. */
  async reserve(companyId: string, bytes: number): Promise<(() => void) | undefined> {
    if (bytes <= smallBytes) return () => undefined
    const end = await this.#serial.take(companyId)
    try {
      const left = await this.#storageLeftNow(companyId)
      if (left !== null && this.#reserved.of(companyId) + bytes > left) return undefined
      this.#reserved.add(companyId, bytes)
      let isReleased = false
      return () => {
        if (!isReleased) this.#release(companyId, bytes)
        isReleased = true
      }
    } finally {
      end()
    }
  }

  /** The quota left with every released reservation counted: one that is released during the read may be missing from it. */
  async #storageLeftNow(companyId: string): Promise<number | null> {
    for (;;) {
      const read = { hasRelease: false }
      this.#reads.set(companyId, read)
      const left = await this.#storageLeft(companyId).finally(() => this.#reads.delete(companyId))
      if (!read.hasRelease) return left
    }
  }

  #release(companyId: string, bytes: number): void {
    const read = this.#reads.get(companyId)
    if (read) read.hasRelease = true
    this.#reserved.add(companyId, -bytes)
  }
}
