import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { describeFailure } from '../failure.ts'
import type { Session } from '../session/session.ts'

/** Cancels what an attempt waits for: its build, or its run. */
export type Cancel = () => Promise<unknown>

/** One attempt: `started` takes what cancels the part that is under way. */
export type DevRound = (started: (cancel: Cancel) => void) => Promise<void>

/**
 * Makes one attempt after another, at most one at a time. A new one cancels the one that is under way, waits for its
 * end and starts then; of several that wait, one is made. A failed attempt is shown and ends nothing.
 */
export class DevLoop {
  readonly #session: Session
  readonly #attempt: DevRound
  #wanted = false
  #cancel: Cancel | undefined
  #ended: Promise<void> | undefined

  constructor(session: Session, attempt: DevRound) {
    this.#session = session
    this.#attempt = attempt
  }

  /** Asks for an attempt with the files as they are from now on. */
  request(): void {
    this.#wanted = true
    if (this.#ended) this.#cancelCurrent()
    else this.#ended = Promise.resolve().then(() => this.#work())
  }

  /** Cancels the current attempt, if there is one, and waits for its end. */
  async stop(): Promise<void> {
    this.#wanted = false
    this.#cancelCurrent()
    await this.#ended
  }

  async #work(): Promise<void> {
    while (this.#wanted) {
      this.#wanted = false
      await this.#attempt((cancel) => {
        this.#cancel = cancel
        // A file may have been saved before there was anything to cancel.
        if (this.#wanted) this.#cancelCurrent()
      }).catch((error: unknown) => this.#show(error))
      this.#cancel = undefined
    }
    this.#ended = undefined
  }

  #cancelCurrent(): void {
    const cancel = this.#cancel
    this.#cancel = undefined
    cancel?.().catch((error: unknown) => {
      // It ended by itself.
      if (!(error instanceof ApiError && error.status < 500)) this.#show(error)
    })
  }

  /** A cancelled attempt is no failure to tell. */
  #show(error: unknown): void {
    const { report, url } = this.#session
    if (this.#wanted) report.progress('A file was saved; starting again.')
    else report.failure(describeFailure(error, url))
  }
}

export const cancelRun =
  ({ client }: Session, params: { cid: string; rid: string }): Cancel =>
  () =>
    client.call(allRoutes.cancelRun, { params })

export const cancelBuild =
  ({ client }: Session, params: { id: string; vid: string; aid: string }): Cancel =>
  () =>
    client.call(allRoutes.cancelBuild, { params })
