import { setTimeout as rest } from 'node:timers/promises'

/** A subject of a measurement: each call carries out one operation and returns its milliseconds. */
export interface Subject {
  name: string
  once(): Promise<number>
}

interface TurnsOptions {
  rounds: number
  /** Rounds before the measured ones; they do not count. */
  warmups: number
  onRound?: (round: number) => void
}

/**
 * Measures all sides of a comparison once per round, so that other load on the machine affects them equally. Each round starts
 * with the next side, so that none always follows the same one.
 */
export async function byTurns<Side>(
  sides: readonly Side[],
  { rounds, warmups, onRound }: TurnsOptions,
  measure: (side: Side, isCounted: boolean) => Promise<void>,
): Promise<void> {
  for (let round = -warmups; round < rounds; round += 1) {
    onRound?.(round)
    const first = (round + warmups) % sides.length
    for (const side of [...sides.slice(first), ...sides.slice(0, first)]) await measure(side, round >= 0)
  }
}

export interface RoundsOptions extends TurnsOptions {
  /** Pause after each operation, in which its residue is removed. */
  restMs: number
}

/** Times one operation of each subject per round, by turns. */
export async function interleaved(
  subjects: readonly Subject[],
  { restMs, ...turns }: RoundsOptions,
): Promise<Map<string, number[]>> {
  const samples = new Map(subjects.map(({ name }) => [name, [] as number[]]))
  await byTurns(subjects, turns, async (subject, isCounted) => {
    const tookMs = await subject.once()
    if (isCounted) samples.get(subject.name)?.push(tookMs)
    await rest(restMs)
  })
  return samples
}
