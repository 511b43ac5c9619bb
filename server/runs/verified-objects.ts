import { createHash } from 'node:crypto'
import { CodedError } from '../base/coded-error.ts'
import { RecentMap } from '../base/recent-map.ts'
import type { ObjectStorage } from '../storage/port.ts'

/** Part of a stored object, and what its bytes are to be. */
export interface StoredPart {
  key: string
  start: number
  byteSize: number
  digest: string
}

interface Verification {
  stamp: string
  companyId: string
  /** Requests that wait for it; without any it stops. */
  readers: number
  work: () => Promise<void>
  stop: AbortController
  end: PromiseWithResolvers<void>
}

const rememberedMax = 10_000
/** Objects that are hashed at once; of one company one, so that another's turn never waits for all of it. */
const hashingMax = 2

/** Nobody is there to read it. */
const hasLeft = () => new CodedError('storage_unavailable')

/**
 * Compares stored bytes with their digest before anybody is given one. What was found is remembered by the stamp of the
 * object, so that each is read once however many open it; those that open it meanwhile wait for the same reading, which
 * stops when the last of them has gone.
 */
export class VerifiedObjects {
  readonly #storage: Pick<ObjectStorage, 'opened'>
  readonly #remembered = new RecentMap<string>(rememberedMax)
  readonly #pending = new Map<string, Verification>()
  /** In the order in which they came; the first `hashing` of a company each may be at work. */
  readonly #hashing = new Set<Verification>()

  constructor(storage: Pick<ObjectStorage, 'opened'>) {
    this.#storage = storage
  }

  /** Throws `storage_unavailable` where the bytes are others, and at once when the signal fires. */
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
    this.#startNext()
    return verification
  }

  #startNext(): void {
    for (const next of this.#pending.values()) {
      if (this.#hashing.size >= hashingMax) return
      const isCompanyBusy = [...this.#hashing].some(({ companyId }) => companyId === next.companyId)
      if (!isCompanyBusy) this.#start(next)
    }
  }

  #start(verification: Verification): void {
    this.#hashing.add(verification)
    verification
      .work()
      .then(verification.end.resolve, verification.end.reject)
      .finally(() => {
        this.#hashing.delete(verification)
        verification.stop.abort()
        this.#startNext()
      })
  }

  /** Reads by itself: whoever opened the object may close it. */
  async #compare(part: StoredPart, stamp: string, signal: AbortSignal): Promise<void> {
    const object = await this.#storage.opened(part.key)
    try {
      const hash = createHash('sha256')
      for await (const piece of object.read(part.start, part.start + part.byteSize)) {
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
    if (this.#pending.get(name) === verification) this.#pending.delete(name)
  }
}
