/*
 * The event loop accepts one connection of a listening descriptor in each of its rounds. When long work fills every round, connections that
 * wait are accepted as slowly as the work goes on: behind sixty of one company, a newcomer waits for sixty pieces of its work.
 */

/** Without work, so many rounds take less than half a millisecond. */
const roundsMax = 64

/**
 * Calls back when others have had their turn after work that has just kept the event loop for `usedMs`: so many rounds of the loop,
 * or, while others keep it busy, the same time.
 */
export function othersFirst(usedMs: number, then: () => void): void {
  let endsAtMs: number | undefined
  let rounds = 0
  const round = () => {
    const nowMs = performance.now()
    endsAtMs ??= nowMs + usedMs
    rounds += 1
    if (rounds >= roundsMax || nowMs >= endsAtMs) then()
    else setImmediate(round)
  }
  setImmediate(round)
}
