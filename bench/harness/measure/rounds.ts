import { setTimeout as rest } from 'node:timers/promises'

/** A subject of a measurement: each call carries out one operation and returns its milliseconds. */
export interface Subject {
  name: string
  once(): Promise<number>
}

export interface RoundsOptions {
  rounds: number
  /** Rounds before the measured ones; they do not count. */
  warmups: number
  /** Pause after each operation, in which its residue is removed. */
  restMs: number
  onRound?: (round: number) => void
}

/**
 * Times all subjects together, one operation of each per round, so that other load on the machine affects them
 * equally. Each round starts with the next subject, so that none always follows the same one.
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
