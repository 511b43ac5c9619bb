import type { Database, Trx } from '../../db/database.ts'
import type { FindRunDeps } from '../lookup/readable-run.ts'
import type { AskedFields, LockedPart, LockingRun, PartLock, RunName, RunPart } from '../parts/run-part.ts'
import { runParts } from '../parts/run-parts.ts'

/** The parts that a submission asks for. */
export interface AskedParts {
  /** As they stand in the hash of the request. */
  described: Record<string, unknown>
  /** Whether the submitter may have them. Throws the errors of a submission. */
  want: () => Promise<PartLock[]>
}

export const nothingAsked: AskedParts = { described: {}, want: async () => [] }

/** Throws for fields of a wrong form. */
export function askParts(
  deps: FindRunDeps,
  submitter: Pick<LockingRun, 'principal' | 'chatroomId'>,
  fields: AskedFields,
): AskedParts {
  const asked = runParts.flatMap((part) => {
    const found = part.ask?.(fields)
    return found ? [{ name: part.name, ...found }] : []
  })
  return {
    described: Object.fromEntries(asked.map(({ name, described }) => [name, described])),
    want: async () => {
      const locks: PartLock[] = []
      for (const { want } of asked) locks.push(await want(deps, submitter))
      return locks
    },
  }
}

/** The parts that an earlier run carried, for one that replays it: who may run it again need not be who may read it. */
export async function askAgain(db: Database, earlier: RunName): Promise<PartLock[]> {
  const parts: readonly Pick<RunPart, 'askAgain'>[] = runParts
  const locks = await Promise.all(parts.flatMap(({ askAgain: ask }) => (ask ? [ask(db, earlier)] : [])))
  return locks.filter((lock) => lock !== undefined)
}

/** One after another, so that two runs lock the same things in the same order. */
export async function lockParts(
  trx: Trx,
  run: LockingRun,
  locks: readonly PartLock[],
): Promise<LockedPart[]> {
  const locked: LockedPart[] = []
  for (const lock of locks) locked.push(await lock(trx, run))
  return locked
}
