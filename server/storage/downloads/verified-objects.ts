import { createHash } from 'node:crypto'
import { CodedError } from '../../base/errors/coded-error.ts'
import { RecentMap } from '../../base/recent-map.ts'
import { FairLanes, type LaneBounds } from '../../fairness/fair-lanes.ts'
import type { ObjectStorage } from '../port.ts'
import { sharedPieces } from '../shared-pieces.ts'
import { downloadsBusy } from './download-slots.ts'

/** Part of a stored object, with its expected digest. */
export interface StoredPart {
  key: string
  start: number
  byteSize: number
  digest: string
}

/** Stored bytes under the name that they are downloaded as. */
export interface NamedPart extends StoredPart {
  name: string
  /** Absent where it is unknown: an archive gives it its own time. */
  modifiedAt?: Date | undefined
}

interface Verification {
  stamp: string
  companyId: string
  /** Requests that wait for it; it stops when none is left. */
  readers: number
  work: () => Promise<void>
  stop: AbortController
  end: PromiseWithResolvers<void>
}

const rememberedMax = 10_000

/** Objects that wait to be hashed. As many of one company as it may download at once, of which each waits for one. */
const laneBounds: LaneBounds = {
  laneWaitingMax: 64,
  waitingMax: 512,
  waitMs: Number.POSITIVE_INFINITY,
  workingMax: 1,
  creditMs: 2000,
  creditMsPerSecond: 200,
}

/** Hashes one object at a time. */
interface HashingSlot {
  /** Only for companies that have not used up their credit, so that the large objects of some do not delay all others. */
  reserved: boolean
  isTaken: boolean
}

/** The client has disconnected. */
export const hasLeft = (): CodedError => new CodedError('storage_unavailable')

/**
 * Compares stored bytes with their digest before they are sent. The result is remembered by the stamp of the object, so
 * each object is hashed once. Concurrent requests share one verification, which stops when the last of them has
 * disconnected. Companies have turns by the time that their objects took, one object at a time.
 */
export class VerifiedObjects {
  readonly #storage: Pick<ObjectStorage, 'opened'>
  readonly #remembered = new RecentMap<string>(rememberedMax)
  readonly #pending = new Map<string, Verification>()
  readonly #lanes: FairLanes<Verification>
  readonly #nowMs: () => number
  readonly #places: HashingSlot[] = [
    { reserved: true, isTaken: false },
    { reserved: false, isTaken: false },
  ]

  constructor(storage: Pick<ObjectStorage, 'opened'>, nowMs = () => performance.now()) {
    this.#storage = storage
    this.#nowMs = nowMs
    this.#lanes = new FairLanes(laneBounds, nowMs)
  }

  /**
   * Throws `storage_unavailable` if the bytes differ, and at once when the signal fires; `downloads_busy` while too many objects of
   * the company wait.
   */
  async verify(
    { stamp }: { stamp: string },
    part: StoredPart,
    { companyId, signal }: { companyId: string; signal: AbortSignal },
  ): Promise<void> {
    const name = `${part.key}:${part.start}:${part.byteSize}:${part.digest}`
    if (this.#remembered.get(name) === stamp) return
    if (signal.aborted) throw hasLeft()
    const pending = this.#join(name, { part, stamp, companyId })
    const left = Promise.withResolvers<never>()
    const leave = () => left.reject(hasLeft())
    signal.addEventListener('abort', leave, { once: true })
    try {
      await Promise.race([pending.end.promise, left.promise])
    } finally {
      signal.removeEventListener('abort', leave)
      pending.readers -= 1
      if (pending.readers === 0) pending.stop.abort()
    }
  }

  #join(name: string, of: { part: StoredPart; stamp: string; companyId: string }): Verification {
    const same = this.#pending.get(name)
    if (same && same.stamp === of.stamp && !same.stop.signal.aborted) {
      same.readers += 1
      return same
    }
    const stop = new AbortController()
    const verification: Verification = {
      stamp: of.stamp,
      companyId: of.companyId,
      readers: 1,
      stop,
      end: Promise.withResolvers(),
      work: async () => {
        await this.#compare(of.part, of.stamp, stop.signal)
        this.#remembered.set(name, of.stamp)
      },
    }
    verification.end.promise.catch(() => undefined)
    this.#pending.set(name, verification)
    stop.signal.addEventListener('abort', () => this.#forget(name, verification), { once: true })
    const dropped = this.#lanes.add(of.companyId, verification)
    dropped?.end.reject(downloadsBusy())
    dropped?.stop.abort()
    this.#startNext()
    return verification
  }

  #startNext(): void {
    for (const slot of this.#places) {
      const next = slot.isTaken ? undefined : this.#lanes.take(slot)
      if (next) this.#start(next.work, slot)
    }
  }

  #start({ companyId, work, end, stop }: Verification, place: HashingSlot): void {
    place.isTaken = true
    const startedAtMs = this.#nowMs()
    work()
      .then(end.resolve, end.reject)
      .finally(() => {
        place.isTaken = false
        this.#lanes.charge(companyId, this.#nowMs() - startedAtMs)
        stop.abort()
        this.#startNext()
      })
  }

  /** Opens the object again, since the request may close its own handle. */
  async #compare(part: StoredPart, stamp: string, signal: AbortSignal): Promise<void> {
    const object = await this.#storage.opened(part.key)
    try {
      const hash = createHash('sha256')
      for await (const piece of sharedPieces(object, part.start, part.start + part.byteSize)) {
        signal.throwIfAborted()
        hash.update(piece)
      }
      const isSame = object.stamp === stamp && `sha256:${hash.digest('hex')}` === part.digest
      if (!isSame) throw new CodedError('storage_unavailable')
    } finally {
      await object.close()
    }
  }

  #forget(name: string, verification: Verification): void {
    this.#lanes.remove(verification.companyId, verification)
    if (this.#pending.get(name) === verification) this.#pending.delete(name)
  }
}
