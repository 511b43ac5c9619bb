/** An act of a person in the first hour, and what must come of it. */
export interface Step {
  person: 'operator' | 'author' | 'department manager' | 'person in a room' | 'integrator'
  does: string
  /** Throws with the reason if it does not work. */
  run: () => Promise<void>
}

/** Executes the steps in order and prints the time of each. Returns what failed: a later step may fail because of an earlier one. */
export async function timeSteps(steps: readonly Step[]): Promise<string[]> {
  const failed: string[] = []
  for (const { person, does, run } of steps) {
    const startedMs = performance.now()
    let problem = ''
    try {
      await run()
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error)
      failed.push(does)
    }
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
    console.log(`${problem === '' ? 'ok    ' : 'FAILED'} ${seconds.padStart(6)} s  ${person}: ${does}`)
    if (problem !== '') console.log(problem.replaceAll(/^/gm, '         '))
  }
  return failed
}

/** Throws with the whole text if a part is missing. */
export function requireParts(text: string, ...parts: (string | RegExp)[]): void {
  const missing = parts.filter((part) => (typeof part === 'string' ? !text.includes(part) : !part.test(text)))
  if (missing.length > 0) throw new Error(`without ${missing.map(String).join(', ')}:\n${text}`)
}
