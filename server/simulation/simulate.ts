import { plantedBugs } from './planted-bugs.ts'
import { type Rules, trueRules } from './rules.ts'
import { World } from './world.ts'

/** Worlds that live side by side, so that one turn of the event loop serves all of them. */
const atOnce = 64

export interface Found {
  seed: number
  faults: string[]
}

/** Lives through the worlds of these seeds and answers the first faults, at most `most` worlds of them. */
export async function simulate(
  seeds: Iterator<number>,
  rules: Rules,
  most = Number.POSITIVE_INFINITY,
): Promise<Found[]> {
  const found: Found[] = []
  const liveOn = async () => {
    for (let next = seeds.next(); !next.done && found.length < most; next = seeds.next()) {
      const faults = await new World(next.value, rules).live()
      if (faults.length > 0) found.push({ seed: next.value, faults })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, liveOn))
  return found
}

export function* seedsFrom(first: number, count: number): Generator<number> {
  for (let seed = first; seed < first + count; seed += 1) yield seed
}

/** Seeds at most until a planted bug has to be found. */
const seedsPerBug = 8000

export interface BugHunt {
  bug: string
  /** Undefined: the simulation would not notice that the rule is gone. */
  found: Found | undefined
}

/** Takes each rule away in turn and looks whether that is noticed. */
export async function* huntPlantedBugs(firstSeed: number): AsyncGenerator<BugHunt> {
  for (const [bug, change] of Object.entries(plantedBugs)) {
    const [found] = await simulate(seedsFrom(firstSeed, seedsPerBug), { ...trueRules, ...change }, 1)
    yield { bug, found }
  }
}
