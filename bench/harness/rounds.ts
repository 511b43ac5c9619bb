import { setTimeout as rest } from 'node:timers/promises'

/** Something that is timed: each call carries out one operation and gives the milliseconds it took. */
export interface Subject {
  name: string
  once(): Promise<number>
}

export interface RoundsOptions {
  rounds: number
  /** Rounds before, which do not count. */
  warmups: number
  /** Pause after each operation, in which what it left behind is cleared away. */
  restMs: number
  onRound?: (round: number) => void
}

/**
 * Times all subjects in one run, one operation of each per round, so that what the machine does meanwhile meets them
 * alike. Every round begins with the next subject: nobody always follows the same one.
 */
export async function interleaved(
  subjects: readonly Subject[],
  { rounds, warmups, restMs, onRound }: RoundsOptions,
): Promise<Map<string, number[]>> {
  const samples = new Map(subjects.map(({ name }) => [name, [] as number[]]))
  for (let round = -warmups; round < rounds; round += 1) {
    onRound?.(round)
    for (let turn = 0; turn < subjects.length; turn += 1) {
      const subject = subjects[(round + warmups + turn) % subjects.length]
      if (!subject) continue
      const tookMs = await subject.once()
      if (round >= 0) samples.get(subject.name)?.push(tookMs)
      await rest(restMs)
    }
  }
  return samples
}
