import { setTimeout as sleep } from 'node:timers/promises'
import type { Hostile } from './companies.ts'
import type { Answer } from './send-request.ts'

/** How an attack's requests were answered, by status, `error` for broken connections. */
export type Answers = Record<string, number>

export interface Attack {
  name: string
  /** Description for the report. */
  about: string
  /** Runs until the signal; resolves soon after it. */
  run(hostile: Hostile, signal: AbortSignal, answers: Answers): Promise<void>
}

/** Delay before a refused request is repeated: a hostile client ignores Retry-After. */
const pauseMs = 50

export const count = (answers: Answers, key: number | string): void => {
  answers[key] = (answers[key] ?? 0) + 1
}

/** Repeats a request with `atOnce` clients until the signal, and counts the responses. */
export async function hammer(
  { signal, answers, atOnce }: { signal: AbortSignal; answers: Answers; atOnce: number },
  once: (signal: AbortSignal) => Promise<Answer>,
): Promise<void> {
  const one = async () => {
    while (!signal.aborted) {
      const status = await once(signal).then(
        (answer) => answer.status,
        () => 'error',
      )
      if (signal.aborted) return
      count(answers, status)
      if (typeof status === 'string' || status >= 400) await sleep(pauseMs)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, one))
}
