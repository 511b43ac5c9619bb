import type { Operator } from './operator.ts'

/** A run that goes on while the service is changed. */
export class WaitingRun {
  readonly #operator: Operator
  #id = ''
  #programs = ''

  constructor(operator: Operator) {
    this.#operator = operator
  }

  async start(): Promise<void> {
    this.#id = await this.#operator.startWaiting()
    this.#programs = await this.#operator.waitingPrograms()
  }

  /** Throws unless the service is ready and the program of the run is still the same. */
  async requireRunning(): Promise<void> {
    await this.#operator.untilReady()
    await this.#operator.untilRun(this.#id, 'running')
    await this.requireProgram()
  }

  /** The same without a service. */
  async requireProgram(): Promise<void> {
    const programs = await this.#operator.waitingPrograms()
    if (programs !== this.#programs) throw new Error('its program is another one')
  }

  untilEndedByPlatform(): Promise<void> {
    return this.#operator.untilRun(this.#id, 'platform_failed')
  }
}
