import type { ToolCaller, ToolWaiting, Waited } from '../agent-tools/tool.ts'
import { CodedError } from '../base/errors/coded-error.ts'
import { SharedSlots } from '../fairness/shared-slots.ts'
import type { StateWatchers, WatcherBounds } from '../state-watch/state-watchers.ts'

/** A call that waits. */
export interface WaitingCall {
  /** Fires when the client has gone or has cancelled. */
  signal: AbortSignal
  /** Tells the client that the call goes on: the seconds so far, of how many, and why. */
  report: (progress: number, total: number, message: string) => Promise<void>
}

/** Waits in one API process. A reader that waits costs little, so there may be more than of other kinds, each less eager. */
export const mcpWaitBounds: WatcherBounds = { all: 1024, each: 128, assuredEach: 16, laterReadsMs: 10_000 }

/** Waits of one person at once; of a company, the watchers bound them. */
const eachPerson = 16

/**
 * Calls that wait for runs and proposals. A change of state wakes them. Where a company or a person waits for too many already,
 * the call answers at once, so that nobody has to try again for a status.
 */
export class ToolWaits {
  readonly #watchers: StateWatchers
  readonly #people = new SharedSlots({ all: Number.POSITIVE_INFINITY, each: eachPerson, assuredEach: 0 })

  constructor(watchers: StateWatchers) {
    this.#watchers = watchers
  }

  of({ principal }: ToolCaller, call: WaitingCall): ToolWaiting {
    const person = `${principal.companyId}:${principal.principalType}:${principal.principalId}`
    return {
      untilEnd: async (read, seconds) => {
        const release = seconds > 0 ? this.#people.take(person) : undefined
        if (!release) return read()
        try {
          return await this.#wait(read, seconds, call)
        } finally {
          release()
        }
      },
    }
  }

  async #wait<Subject extends Waited>(
    read: () => Promise<Subject>,
    seconds: number,
    { signal, report }: WaitingCall,
  ): Promise<Subject> {
    const startedAt = performance.now()
    const watched = async () => {
      const subject = await read()
      const progress = Math.min(seconds, (performance.now() - startedAt) / 1000)
      if (!subject.hasEnded) await report(progress, seconds, subject.progress)
      return subject
    }
    try {
      return await this.#watchers.wait(watched, { withinMs: seconds * 1000, signal })
    } catch (error) {
      if (error instanceof CodedError && error.code === 'watchers_busy') return read()
      throw error
    }
  }
}
