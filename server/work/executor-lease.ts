import { sleep } from '../base/clock.ts'
import { newToken } from '../base/ids.ts'
import type { Log } from '../base/logging.ts'
import type { Machine } from '../base/machine-id.ts'
import type { Database } from '../db/database.ts'
import {
  claimLease,
  type LeaseClaim,
  type LeaseHolder,
  type Presence,
  readPresence,
  recordAgentSeen,
  releaseExecutorLease,
  renewExecutorLease,
} from './executor-lease-store.ts'
import { keepLease } from './lease.ts'

/*
 * An executor is a machine with its host agent, and one worker drives it. The lease is a row, so it survives lost connections
 * and restarts of the database: meanwhile no other worker can take it before it expires.
 *
 * A worker that restarts after a crash gets the lease at once, since the row names its folder and its kernel boot. After a
 * crash of the machine the lease must expire first; if its holder renews it meanwhile, the new worker is refused. A copy of a
 * data folder has the same machine id but another folder id, and is refused until the original has released the lease in an
 * orderly stop. Any number of executors work on a database, if their workers have the same keys and the same object store:
 * another worker could neither start what one of them has built nor read what it has stored, and is refused.
 *
 * The lease alone does not ensure that no run starts twice: each claim also names its executor, and no other executor can
 * prove anything about it.
 */

export interface ExecutorLease {
  /** The worker that has it: another one at each start. */
  worker: string
  /** Whether the operator lets the executor finish what it has and claim nothing more, as of the last renewal. */
  isDraining: () => boolean
  /** Resolves with the reason when another worker has the lease, one with other keys or objects is at work, or the operator has removed the executor. */
  lost: Promise<string>
  /** Records that the host agent has answered, for those who ask whether the service is ready. */
  recordAgentSeen(): Promise<void>
  /** Releases the lease; for an orderly stop, when no work is active. */
  release(): Promise<void>
}

export interface ExecutorLeaseOptions extends Pick<LeaseClaim, 'boot' | 'place' | 'store' | 'capacity'> {
  db: Database
  machine: Machine
  /** Reads the ids of the keys that sign images: they change while the worker works. */
  keys: () => string[]
  log: Log
  renewEveryMs?: number
}

/** Another worker drives this executor, or has other keys or objects. The message says what the operator can do. */
export class LeaseRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'LeaseRefused'
  }
}

export const renewEveryMsDefault = 5_000
const retryMs = 500
const locationMaxLength = 512

/** Resolves when this worker has the lease, which is renewed from then on. Rejects with `LeaseRefused`. */
export async function takeExecutorLease(options: ExecutorLeaseOptions): Promise<ExecutorLease> {
  const { db, machine, boot, store, capacity, log } = options
  const worker = newToken()
  const location = options.place.slice(0, locationMaxLength)
  const claim = {
    ...{ executor: machine.id, folder: machine.folder, boot, worker, place: location },
    ...{ keys: options.keys(), store, capacity },
  }
  let first: LeaseHolder | undefined
  for (;;) {
    const holder = await claimLease(db, claim)
    if (holder.worker === worker) return keep(options, claim, holder)
    if (isCopy(holder, claim)) throw new LeaseRefused(copyMessage(holder))
    if (first && (holder.worker !== first.worker || holder.leaseUntil !== first.leaseUntil)) {
      throw new LeaseRefused(refusalOf(holder, claim))
    }
    if (!first) log.warn({ holder: holder.place }, 'waits until the lease of another worker has run out')
    first ??= holder
    await sleep(retryMs)
  }
}

/** The processes that work on this database now, for those who have no lease. */
export const presenceOn = (db: Database): Promise<Presence> => readPresence(db)

function keep(options: ExecutorLeaseOptions, claim: LeaseClaim, taken: LeaseHolder): ExecutorLease {
  const { db, log, renewEveryMs: everyMs = renewEveryMsDefault } = options
  const { worker } = claim
  const stopping = new AbortController()
  const lost = Promise.withResolvers<string>()
  let { draining } = taken
  let { keys } = claim
  const renew = async () => {
    keys = readKeys(options, keys)
    const holder = await renewExecutorLease(db, { ...claim, keys })
    if (holder?.worker === worker) {
      draining = holder.draining
      return 'held'
    }
    lost.resolve(holder ? refusalOf(holder, claim) : removedMessage)
    return 'lost'
  }
  const ended = keepLease({ everyMs, renew, signal: stopping.signal, log })
  return {
    worker,
    isDraining: () => draining,
    lost: lost.promise,
    recordAgentSeen: () => recordAgentSeen(db, worker),
    release: async () => {
      stopping.abort()
      await ended
      await releaseExecutorLease(db, worker).catch((error: unknown) => {
        log.warn({ error: String(error) }, 'cannot give up the lease of this executor')
      })
    },
  }
}

/** The keys that are present; the last ones while the folder is being copied or cannot be read. */
function readKeys({ keys, log }: ExecutorLeaseOptions, last: string[]): string[] {
  try {
    const present = keys()
    return present.length === 0 ? last : present
  } catch (error) {
    log.warn({ error: String(error) }, 'cannot read the keys of this machine')
    return last
  }
}

const isCopy = (holder: LeaseHolder, claim: LeaseClaim): boolean =>
  holder.executor === claim.executor && holder.folder !== claim.folder

function refusalOf(holder: LeaseHolder, claim: LeaseClaim): string {
  if (holder.executor === claim.executor) return drivenMessage(holder)
  const other = `another machine works on this database: ${holder.place} (executor ${holder.executor})`
  return holder.store === claim.store
    ? `${other}. It has other keys: copy its folder of keys to this machine and set SANDBOX_MAKE_KEYS=false, or give this machine a database of its own`
    : `${other}. Its objects are in ${holder.store}, and those of this machine in ${claim.store}: name one bucket for all machines, or give this machine a database of its own`
}

const drivenMessage = ({ place, executor }: LeaseHolder): string =>
  `another worker drives this executor: ${place} (executor ${executor})`

const removedMessage = 'the operator has removed this executor: the next start adds it again'

const copyMessage = ({ place }: LeaseHolder): string =>
  `this data folder has the machine id of ${place}, which was not stopped in an orderly way: it is a copy, or it was moved. Two folders with one machine id could start a run twice. Stop the original with sandbox down before it is copied; where the original is gone for good, remove agent/machine-id here, and runs that were at work there end as host_lost`
