import type { ServerResponse } from 'node:http'

/** Answers of one company that are in memory at once, in bytes, until their readers have taken them. */
const bytesOfCompany = 128 * 1024 ** 2

interface Answer {
  bytes: number
  raw: ServerResponse
}

interface Space {
  bytes: number
  /** Oldest first. */
  answers: Set<Answer>
}

/**
 * Bounds the answers that a company has in memory. A reader that takes nothing would hold its answer, of megabytes, until its connection
 * is closed for that, and any number of readers theirs: those that have waited longest are closed before.
 */
export class AnswerSpace {
  readonly #max: number
  readonly #spaces = new Map<string, Space>()

  constructor(maxBytes = bytesOfCompany) {
    this.#max = maxBytes
  }

  /** Counts an answer until its connection is closed or has taken it. */
  hold(company: string, bytes: number, raw: ServerResponse): void {
    const space = this.#spaces.get(company) ?? { bytes: 0, answers: new Set() }
    this.#spaces.set(company, space)
    const answer = { bytes, raw }
    const remove = () => {
      if (!space.answers.delete(answer)) return
      space.bytes -= bytes
      if (space.answers.size === 0) this.#spaces.delete(company)
    }
    space.answers.add(answer)
    space.bytes += bytes
    raw.once('close', remove)
    this.#close(space)
  }

  #close(space: Space): void {
    for (const oldest of space.answers) {
      if (space.bytes <= this.#max || space.answers.size === 1) return
      space.answers.delete(oldest)
      space.bytes -= oldest.bytes
      oldest.raw.destroy()
    }
  }
}
