import { logMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import type { SandboxExit } from '../executor/port.ts'
import { outputName } from './run-sandbox.ts'

/**
 * Bytes that are stored without a look at the company's bound, so that small results cost no statement. A company that
 * keeps all it may is let start no run, so this is beyond its bound once for each of its runs in flight at most.
 */
const smallBytes = 64 * 1024

/** What a sandbox left that would be stored. */
export function contentBytes({ log, files, tree }: SandboxExit): number {
  const output = files[outputName]
  const outputBytes = output?.status === 'present' ? output.byteSize : 0
  const treeBytes =
    tree?.status === 'collected' ? tree.files.reduce((sum, file) => sum + file.byteSize, 0) : 0
  return Math.min(log.keptBytes, logMaxBytes) + outputBytes + treeBytes
}

/**
 * The room that companies have left for what their runs leave, taken before it is stored: of runs that end together
 * each sees the ones before it, so none goes beyond the bound. Held for one worker, whose runs are all there are on
 * its machine; what it forgets when it dies has either been counted by then or was not stored for good.
 */
export class ContentRoom {
  readonly #leftOf: (companyId: string) => Promise<number | null>
  /** Bytes that are being stored and not counted yet. */
  readonly #taken = new Map<string, number>()
  readonly #turns = new Map<string, Promise<unknown>>()

  /** `leftOf` tells how much more a company may keep; null: without bound. */
  constructor(leftOf: (companyId: string) => Promise<number | null>) {
    this.#leftOf = leftOf
  }

  /** Answers how to give the room back once the bytes are counted; undefined: there is none. */
  async take(companyId: string, bytes: number): Promise<(() => void) | undefined> {
    if (bytes <= smallBytes) return () => undefined
    const before = this.#turns.get(companyId)
    const turn = (async () => {
      await before?.catch(() => undefined)
      const left = await this.#leftOf(companyId)
      const taken = this.#taken.get(companyId) ?? 0
      if (left !== null && taken + bytes > left) return undefined
      this.#taken.set(companyId, taken + bytes)
      let isGiven = false
      return () => {
        if (!isGiven) this.#giveBack(companyId, bytes)
        isGiven = true
      }
    })()
    this.#turns.set(companyId, turn)
    try {
      return await turn
    } finally {
      if (this.#turns.get(companyId) === turn) this.#turns.delete(companyId)
    }
  }

  #giveBack(companyId: string, bytes: number): void {
    const left = (this.#taken.get(companyId) ?? 0) - bytes
    if (left > 0) this.#taken.set(companyId, left)
    else this.#taken.delete(companyId)
  }
}
