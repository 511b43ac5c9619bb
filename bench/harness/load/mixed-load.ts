import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Author } from '../service/author.ts'
import type { RunCalls } from './run-calls.ts'

/** Requests offered to the service, and the part that it took. */
export interface MixedLoad {
  offered: number
  accepted: number
  builds: number
}

export const noLoad = (): MixedLoad => ({ offered: 0, accepted: 0, builds: 0 })

const buildPollMs = 500
/** A refused submission is no load: the queue is full. */
const refused = /^429/

/** Submits by the clock, independent of earlier runs. */
export async function submitSteadily(
  calls: RunCalls,
  load: MixedLoad,
  { runsPerSecond, until }: { runsPerSecond: number; until: number },
): Promise<void> {
  const answers: Promise<void>[] = []
  const startedAt = performance.now()
  for (let count = 0; performance.now() < until; count += 1) {
    load.offered += 1
    const submission = calls.submit().then(
      () => {
        load.accepted += 1
      },
      (error: unknown) => {
        if (!(error instanceof Error && refused.test(error.message))) throw error
      },
    )
    submission.catch(() => undefined)
    answers.push(submission)
    await sleep(Math.max(0, startedAt + ((count + 1) * 1000) / runsPerSecond - performance.now()))
  }
  await Promise.all(answers)
}

/** One build after another, each with another file. */
export async function buildSteadily(author: Author, load: MixedLoad, until: number): Promise<void> {
  const uploaded = await author.upload({ Dockerfile: 'FROM scratch\nCOPY motd /motd\n', motd: randomUUID() })
  while (performance.now() < until) {
    await author.build(uploaded, { pollMs: buildPollMs })
    load.builds += 1
  }
}
