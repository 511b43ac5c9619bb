import { type Failure, makeAttempts } from './attempt.ts'
import type { Stage } from './stage.ts'
import { tablesOf, trialsOf } from './tables/all.ts'
import { makeTrials } from './trial.ts'

export interface Made {
  /** Attempts by class. */
  classes: Record<string, number>
  failures: Failure[]
}

/**
 * Makes the attempts that `wanted` names, in the order of their tables; `told` hears of each class as it ends. No
 * canary may change from its first attempt on.
 */
export async function makeAll(
  stage: Stage,
  wanted: (kind: string, name: string) => boolean,
  told: (kind: string, count: number) => void = () => undefined,
): Promise<Made> {
  const made: Made = { classes: {}, failures: [] }
  const note = (kind: string, count: number, failures: Failure[]) => {
    made.classes[kind] = count
    made.failures.push(...failures)
    told(kind, count)
  }
  const tables = await tablesOf(stage)
  const trials = await trialsOf(stage)
  await stage.watch()
  for (const table of tables) {
    const attempts = table.attempts.filter(({ name }) => wanted(table.class, name))
    if (attempts.length > 0)
      note(table.class, attempts.length, await makeAttempts(stage, { ...table, attempts }))
  }
  for (const { class: kind, trials: all } of trials) {
    const chosen = all.filter(({ name }) => wanted(kind, name))
    if (chosen.length > 0) note(kind, chosen.length, await makeTrials(stage, { class: kind, trials: chosen }))
  }
  return made
}
