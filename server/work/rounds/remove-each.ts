import type { Executing } from '../../db/database.ts'
import { forgetFailures, postpone } from './removal-failures.ts'

export interface Removal<Thing> {
  db: Executing
  now: Date
  idOf: (thing: Thing) => string
  remove: (thing: Thing) => Promise<void>
  onFailure: (thing: Thing, error: unknown) => void
}

/** Removes items one by one. A failure is reported to `onFailure` and postponed, so that later rounds remove others first. */
export async function removeEach<Thing>(
  things: readonly Thing[],
  { db, now, idOf, remove, onFailure }: Removal<Thing>,
): Promise<{ removed: number; failed: number }> {
  const removed: string[] = []
  const failed: string[] = []
  for (const thing of things) {
    try {
      await remove(thing)
      removed.push(idOf(thing))
    } catch (error) {
      onFailure(thing, error)
      failed.push(idOf(thing))
    }
  }
  await postpone(db, failed, now)
  await forgetFailures(db, removed)
  return { removed: removed.length, failed: failed.length }
}
