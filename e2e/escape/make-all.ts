import { type Failure, makeAttempts } from './attempt.ts'
import { tablesOf, trialsOf } from './tables/all.ts'
import type { Testbed } from './testbed.ts'
import { makeTrials } from './trial.ts'

export interface Results {
  /** Number of attempts by class. */
  classes: Record<string, number>
  failures: Failure[]
}

/**
 * Makes the attempts selected by `wanted`, in the order of their tables; calls `onClassDone` after each class. From the first
 * attempt on no canary may change.
 */
export async function makeAll(
  testbed: Testbed,
  wanted: (kind: string, name: string) => boolean,
  onClassDone: (kind: string, count: number) => void = () => undefined,
): Promise<Results> {
  const made: Results = { classes: {}, failures: [] }
  const note = (kind: string, count: number, failures: Failure[]) => {
    made.classes[kind] = count
    made.failures.push(...failures)
    onClassDone(kind, count)
  }
  const tables = await tablesOf(testbed)
  const trials = await trialsOf(testbed)
  await testbed.watch()
  for (const table of tables) {
    const attempts = table.attempts.filter(({ name }) => wanted(table.class, name))
    if (attempts.length > 0)
      note(table.class, attempts.length, await makeAttempts(testbed, { ...table, attempts }))
  }
  for (const { class: kind, trials: all } of trials) {
    const chosen = all.filter(({ name }) => wanted(kind, name))
    if (chosen.length > 0)
      note(kind, chosen.length, await makeTrials(testbed, { class: kind, trials: chosen }))
  }
  return made
}
