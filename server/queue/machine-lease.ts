import { sleep } from '../base/clock.ts'
import { newToken } from '../base/ids.ts'
import type { Log } from '../base/logging.ts'
import type { Machine } from '../base/machine-id.ts'
import type { Database } from '../db/database.ts'
import {
  claimLease,
  type LeaseClaim,
  type LeaseHolder,
  releaseMachineLease,
  renewMachineLease,
} from './machine-lease-store.ts'

/*
 * One database has one machine at work. The lease is a row, so it outlives connections and restarts of the database: while
 * these are away nobody else can take it sooner than it runs out.
 *
 * A worker that starts again after any death has it at once, since the row names its folder and its kernel. After a crash
 * of the machine itself, and where another machine comes, it has to run out first; whoever renews it meanwhile is at work,
 * and the newcomer is refused. A copy of a data folder has the machine's id in another file, and is refused until the
 * original gave the lease up in an orderly stop.
 *
 * That no run starts twice does not rest on the lease alone: each claim names its machine, and no other proves anything
 * about it.
 */

export interface MachineLease {
  /** Resolves, with the reason, when another has the lease. */
  lost: Promise<string>
  /** Gives it up; for an orderly stop, once nothing is at work. */
  release(): Promise<void>
}

export interface MachineLeaseOptions {
  db: Database
  machine: Machine
  boot: string
  /** For people: where this is. */
  place: string
  log: Log
  renewEveryMs?: number
}

/** Another is at work on this database. The message is for the operator and says what to do. */
export class MachineRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'MachineRefused'
  }
}

const renewEveryMsDefault = 5_000
const retryMs = 500
const longestPlace = 512

/** Resolves once this machine has the lease, and keeps it from then on. Rejects with `MachineRefused`. */
export async function takeMachineLease(options: MachineLeaseOptions): Promise<MachineLease> {
  const { db, machine, boot, log } = options
  const session = newToken()
  const place = options.place.slice(0, longestPlace)
  const claim = { machine: machine.id, folder: machine.folder, boot, session, place }
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

function keep({ db, log, renewEveryMs }: MachineLeaseOptions, session: string): MachineLease {
  const stopping = new AbortController()
  const lost = Promise.withResolvers<string>()
  const renew = async () => {
    for (;;) {
      await sleep(renewEveryMs ?? renewEveryMsDefault, stopping.signal)
      if (stopping.signal.aborted) return
      try {
        const holder = await renewMachineLease(db, session)
        if (holder.session !== session) return lost.resolve(otherMessage(holder))
      } catch (error) {
        log.warn({ error: String(error) }, 'cannot renew the lease of this machine')
      }
    }
  }
  const ended = renew()
  return {
    lost: lost.promise,
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
