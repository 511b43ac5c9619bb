import { Counts } from './counts.ts'

/** Bodies of one company that are in memory at once, in bytes: while they arrive, and while they wait for their turns. */
const bytesOfCompany = 64 * 1024 ** 2

interface Space {
  bySender: Counts
  waiting: Set<Body>
}

interface Body {
  bytes: number
  sender: string
  start: () => void
}

/**
 * Bounds the bodies that a company has in memory. Others wait, unread, until those before them are parsed. One sender has at most half
 * of the space with several bodies, so that slow ones leave some to the others.
 */
export class BodySpace {
  readonly #max: number
  readonly #spaces = new Map<string, Space>()

  constructor(maxBytes = bytesOfCompany) {
    this.#max = maxBytes
  }

  /**
   * Resolves to the function that gives the space back, or to undefined if the sender left before. `onGone` has the function
   * called that it gets when the sender leaves, or at once.
   */
  take(
    { company, sender }: { company: string; sender: string },
    wantedBytes: number,
    onGone: (gone: () => void) => void,
  ): Promise<(() => void) | undefined> {
    const space = this.#spaces.get(company) ?? { bySender: new Counts(), waiting: new Set<Body>() }
    this.#spaces.set(company, space)
    const bytes = Math.min(wantedBytes, this.#max)
    const { promise, resolve } = Promise.withResolvers<(() => void) | undefined>()
    let isHeld = false
    const end = () => {
      space.waiting.delete(body)
      if (isHeld) space.bySender.add(sender, -bytes)
      isHeld = false
      resolve(undefined)
      this.#startWaiting(company, space)
    }
    const start = () => {
      isHeld = true
      space.bySender.add(sender, bytes)
      resolve(end)
    }
    const body = { bytes, sender, start }
    space.waiting.add(body)
    onGone(end)
    this.#startWaiting(company, space)
    return promise
  }

  #startWaiting(company: string, space: Space): void {
    for (const body of space.waiting) {
      const held = space.bySender.of(body.sender)
      if (held > 0 && held + body.bytes > this.#max / 2) continue
      if (space.bySender.sum + body.bytes > this.#max) return
      space.waiting.delete(body)
      body.start()
    }
    if (space.bySender.sum === 0 && this.#spaces.get(company) === space) this.#spaces.delete(company)
  }
}
