import type { SchemaVerdict } from '@sandbox-jobs/contract/input-schema/verdict.ts'

export interface CheckQuestion {
  id: number
  schema: string
  instance: string
}

export interface CheckAnswer {
  id: number
  verdict: SchemaVerdict
}

/** The part of a worker that a checker uses. */
export interface CheckWorker {
  postMessage: (question: CheckQuestion) => void
  onmessage: ((event: MessageEvent<CheckAnswer>) => void) | null
  onerror: ((event: ErrorEvent) => void) | null
  terminate: () => void
}

/** Problems of a value; undefined if that is not known, and the service has to check. */
export type CheckResult = Exclude<SchemaVerdict, { kind: 'too_costly' }> | undefined

const answerMs = 2000

/** Asks a worker whether a value conforms. A schema or a pattern can take for ever, so a worker that is late is killed. */
export class InputChecker {
  readonly #makeWorker: () => CheckWorker
  #worker: CheckWorker | undefined
  #waiting = new Map<number, (result: CheckResult) => void>()
  #asked = 0

  constructor(makeWorker: () => CheckWorker) {
    this.#makeWorker = makeWorker
  }

  check(schema: string, instance: string): Promise<CheckResult> {
    const worker = this.#started()
    this.#asked += 1
    const id = this.#asked
    return new Promise((resolve) => {
      const late = setTimeout(() => this.stop(), answerMs)
      this.#waiting.set(id, (result) => {
        clearTimeout(late)
        resolve(result)
      })
      worker.postMessage({ id, schema, instance })
    })
  }

  #started(): CheckWorker {
    if (this.#worker) return this.#worker
    const worker = this.#makeWorker()
    worker.onmessage = ({ data: { id, verdict } }) => {
      this.#waiting.get(id)?.(verdict.kind === 'too_costly' ? undefined : verdict)
      this.#waiting.delete(id)
    }
    worker.onerror = () => this.stop()
    this.#worker = worker
    return worker
  }

  /** Ends the worker; whoever waits learns that nothing was checked. */
  readonly stop = (): void => {
    this.#worker?.terminate()
    this.#worker = undefined
    for (const resolve of this.#waiting.values()) resolve(undefined)
    this.#waiting.clear()
  }
}
