import { outsideRequests } from '../../base/current-request.ts'
import type { Log } from '../../base/logging.ts'
import { heldAnswer } from '../held-answer.ts'

/** One look at some dependencies: whether each works. If it fails or does not end in time, none of them does. */
export interface Look {
  names: readonly string[]
  look: () => Promise<Readonly<Record<string, boolean>>>
}

export type States = Record<string, 'ok' | 'failed'>

interface Bounds {
  /** How long an answer is given again. */
  heldMs: number
  /** The longest wait for a look. */
  waitMs: number
}

const boundsDefault: Bounds = { heldMs: 1000, waitMs: 2000 }

/**
 * Whether the dependencies of a process work. However often somebody asks, one look is made in a time, and no look starts before
 * the last one of its kind has ended: a disk that hangs takes one thread, not one a second.
 */
export class Readiness {
  readonly #looks: (() => Promise<Seen>)[]
  readonly #log: Log
  readonly read: () => Promise<States>
  #failedBefore = ''

  constructor(looks: readonly Look[], log: Log, { heldMs, waitMs }: Bounds = boundsDefault) {
    this.#looks = looks.map((look) => bounded(look, waitMs))
    this.#log = log
    this.read = heldAnswer(heldMs, () => outsideRequests(() => this.#look()))
  }

  async #look(): Promise<States> {
    const seen = await Promise.all(this.#looks.map((look) => look()))
    const states: States = Object.assign({}, ...seen.map((one) => one.states))
    this.#report(
      Object.keys(states).filter((name) => states[name] === 'failed'),
      seen.flatMap(({ problem }) => problem ?? []),
    )
    return states
  }

  /** Logs changes alone: somebody asks every few seconds. */
  #report(failed: string[], problems: string[]): void {
    const names = failed.join()
    if (names === this.#failedBefore) return
    this.#failedBefore = names
    if (names === '') this.#log.info('ready again')
    else this.#log.warn({ failed, problems }, 'not ready')
  }
}

/** The states that a look found, with the reason for the log if it failed. */
interface Seen {
  states: States
  problem?: string
}

/** Takes a look, or waits for the one that goes on; never throws. */
function bounded({ names, look }: Look, waitMs: number): () => Promise<Seen> {
  const failed = (problem: string): Seen => ({
    states: Object.fromEntries(names.map((name) => [name, 'failed'])),
    problem: `${names.join()}: ${problem}`,
  })
  let going: Promise<Seen> | undefined
  const start = async (): Promise<Seen> => {
    try {
      const found = await look()
      return { states: Object.fromEntries(names.map((name) => [name, found[name] ? 'ok' : 'failed'])) }
    } catch (error) {
      return failed(String(error))
    } finally {
      going = undefined
    }
  }
  return async () => {
    going ??= start()
    const late = Promise.withResolvers<Seen>()
    const timer = setTimeout(() => late.resolve(failed(`no answer after ${waitMs} ms`)), waitMs)
    const seen = await Promise.race([going, late.promise])
    clearTimeout(timer)
    return seen
  }
}
