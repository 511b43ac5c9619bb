import { sleep } from '../base/clock.ts'
import { newToken } from '../base/ids.ts'
import type { Log } from '../base/logging.ts'
import type { Machine } from '../base/machine-id.ts'
import type { Database } from '../db/database.ts'
import { keepLease } from './lease.ts'
import {
  claimLease,
  type LeaseClaim,
  type LeaseHolder,
  type Presence,
  readPresence,
  recordAgentSeen,
  releaseMachineLease,
  renewMachineLease,
} from './machine-lease-store.ts'

/*
 * Only one machine works on a database. The lease is a row, so it survives lost connections and restarts of the database:
 * meanwhile no other machine can take it before it expires.
 *
 * A worker that restarts after a crash gets the lease at once, since the row names its folder and its kernel boot. After a
 * crash of the machine, or for another machine, the lease must expire first; if its holder renews it meanwhile, the new
 * machine is refused. A copy of a data folder has the same machine id but another folder id, and is refused until the
 * original has released the lease in an orderly stop.
 *
 * The lease alone does not ensure that no run starts twice: each claim also names its machine, and no other machine can
 * prove anything about it.
 */

export interface MachineLease {
  /** Resolves with the reason when another machine has the lease. */
  lost: Promise<string>
  /** Records that the host agent of this machine has answered, for those who ask whether the service is ready. */
  recordAgentSeen(): Promise<void>
  /** Releases the lease; for an orderly stop, when no work is active. */
  release(): Promise<void>
}

export interface MachineLeaseOptions {
  db: Database
  machine: Machine
  boot: string
  /** Location of this machine for messages. */
  place: string
  log: Log
  renewEveryMs?: number
}

/** Another machine works on this database. The message says what the operator can do. */
export class MachineRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'MachineRefused'
  }
}

const renewEveryMsDefault = 5_000
const retryMs = 500
const locationMaxLength = 512

/** Resolves when this machine has the lease, which is renewed from then on. Rejects with `MachineRefused`. */
export async function takeMachineLease(options: MachineLeaseOptions): Promise<MachineLease> {
  const { db, machine, boot, log } = options
  const session = newToken()
  const location = options.place.slice(0, locationMaxLength)
  const claim = { machine: machine.id, folder: machine.folder, boot, session, place: location }
  let first: LeaseHolder | undefined
  for (;;) {
    const holder = await claimLease(db, claim)
    if (holder.session === session) break
    if (isCopy(holder, claim)) throw new MachineRefused(copyMessage(holder))
    if (first && (holder.session !== first.session || holder.leaseUntil !== first.leaseUntil)) {
      throw new MachineRefused(otherMessage(holder))
    }
    if (!first) log.warn({ holder: holder.place }, 'waits until the lease of the last machine has run out')
    first ??= holder
    await sleep(retryMs)
  }
  return keep(options, session)
}

/** The processes that work on this database now, for those who have no lease. */
export const presenceOn = (db: Database): Promise<Presence> => readPresence(db)

function keep(options: MachineLeaseOptions, session: string): MachineLease {
  const { db, log, renewEveryMs: everyMs = renewEveryMsDefault } = options
  const stopping = new AbortController()
  const lost = Promise.withResolvers<string>()
  const renew = async () => {
    const holder = await renewMachineLease(db, session)
    if (holder.session === session) return 'held'
    lost.resolve(otherMessage(holder))
    return 'lost'
  }
  const ended = keepLease({ everyMs, renew, signal: stopping.signal, log })
  return {
    lost: lost.promise,
    recordAgentSeen: () => recordAgentSeen(db, session),
    release: async () => {
      stopping.abort()
      await ended
      await releaseMachineLease(db, session).catch((error: unknown) => {
        log.warn({ error: String(error) }, 'cannot give up the lease of this machine')
      })
    },
  }
}

const isCopy = (holder: LeaseHolder, claim: LeaseClaim): boolean =>
  holder.machine === claim.machine && holder.folder !== claim.folder

const otherMessage = ({ place, machine }: LeaseHolder): string =>
  `another machine works on this database: ${place} (machine ${machine}). Several machines on one database are not supported yet: stop the other one, or give this one a database of its own`

const copyMessage = ({ place }: LeaseHolder): string =>
  `this data folder has the machine id of ${place}, which was not stopped in an orderly way: it is a copy, or it was moved. Two folders with one machine id could start a run twice. Stop the original with sandbox down before it is copied; where the original is gone for good, remove agent/machine-id here, and runs that were at work there end as host_lost`
