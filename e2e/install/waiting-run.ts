import type { Operator } from './operator.ts'
import { startWaiting, untilRun } from './waiting-task.ts'

/** A run that goes on while the service is changed. */
export class WaitingRun {
  readonly #operator: Operator
  #id = ''
  #programs = ''

  constructor(operator: Operator) {
    this.#operator = operator
  }

  async start(): Promise<void> {
    this.#id = await startWaiting(this.#operator)
    this.#programs = await this.#operator.waitingPrograms()
  }

  /** Throws unless the service is ready and the program of the run is still the same. */
  async requireRunning(): Promise<void> {
    await this.#operator.untilReady()
    await untilRun(this.#operator, this.#id, 'running')
    await this.requireProgram()
  }

  /** The same without a service. */
  async requireProgram(): Promise<void> {
    const programs = await this.#operator.waitingPrograms()
    if (programs !== this.#programs) throw new Error('its program is another one')
  }

  untilEndedByPlatform(): Promise<void> {
    return untilRun(this.#operator, this.#id, 'platform_failed')
  }
}
