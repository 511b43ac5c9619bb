import { availableParallelism } from 'node:os'
import { FairLanes, type LaneBounds } from '../../../fairness/fair-lanes.ts'
import { SchemaThread, type ThreadBounds } from './schema-thread.ts'
import { threadTimeMs } from './thread-time.ts'
import type { AnswerTo, BodyVerdict, Question, Verdict } from './verdict.ts'

export interface SchemaThreadsBounds extends ThreadBounds, Omit<LaneBounds, 'workingMax'> {
  threads: number
  /** Processor time for a question on the reserved thread, after which it waits for another thread. */
  quickMs: number
}

export const defaultBounds: SchemaThreadsBounds = {
  answerMs: 2000,
  patienceMs: 20_000,
  startMs: 20_000,
  heapMib: 192,
  threads: Math.min(4, Math.max(2, availableParallelism())),
  quickMs: 100,
  laneWaitingMax: 64,
  waitingMax: 512,
  waitMs: 20_000,
  creditMs: 2000,
  creditMsPerSecond: 250,
}

/** Processor time to start a thread: a company whose question gets one killed is charged for the next. */
const restartMs = 300

interface QueuedQuestion {
  question: Question
  resolve: (verdict: Verdict | BodyVerdict) => void
  reject: (error: Error) => void
}

/**
 * The threads that evaluate tenants' schemas and parse large bodies, each one question at a time. Companies wait in lanes, and a company that used
 * much processor time lately is served after the others (`fairness/fair-lanes.ts`). The last thread is reserved: it takes
 * questions of companies that have credit and no active question, for a short time each, so that a company's first question
 * starts at once however many others wait. Questions beyond the queue bounds get `busy`.
 */
export class SchemaThreads {
  readonly #bounds: SchemaThreadsBounds
  readonly #lanes: FairLanes<QueuedQuestion>
  readonly #threads: SchemaThread[]
  readonly #idle: SchemaThread[]
  #isClosed = false

  constructor(bounds: Partial<SchemaThreadsBounds> = {}, timeOf = threadTimeMs) {
    this.#bounds = { ...defaultBounds, ...bounds }
    const { threads } = this.#bounds
    const workingMax = Math.max(1, threads - 1)
    this.#lanes = new FairLanes({ ...this.#bounds, workingMax }, () => performance.now())
    this.#threads = Array.from({ length: threads }, () => new SchemaThread(this.#bounds, timeOf))
    this.#idle = [...this.#threads]
  }

  /** `company`: the caller's company. Rejects only if a thread itself cannot work. */
  ask<Q extends Question>(company: string, question: Q): Promise<AnswerTo<Q>> {
    return new Promise((settle, reject) => {
      const resolve = (verdict: Verdict | BodyVerdict) => settle(verdict as AnswerTo<Q>)
      this.#lanes.add(company, { question, resolve, reject })?.resolve({ kind: 'busy' })
      this.#giveOut()
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#threads.map((thread) => thread.close()))
  }

  #giveOut(): void {
    const givenUp = this.#isClosed ? this.#lanes.takeAll() : this.#lanes.takeExpired()
    for (const { resolve } of givenUp) resolve({ kind: 'busy' })
    for (const thread of [...this.#idle]) {
      const reserved = this.#isReserved(thread)
      const next = this.#lanes.take({ reserved })
      if (!next) continue
      this.#idle.splice(this.#idle.indexOf(thread), 1)
      void this.#work(thread, next)
    }
  }

  async #work(thread: SchemaThread, { owner, work }: { owner: string; work: QueuedQuestion }): Promise<void> {
    const reserved = this.#isReserved(thread)
    const { quickMs, answerMs } = this.#bounds
    // The size of a body bounds its cost.
    const isBounded = reserved && !('body' in work.question)
    let usedMs = answerMs
    let brokenOff = true
    try {
      const answered = await thread.answer(work.question, isBounded ? Math.min(quickMs, answerMs) : answerMs)
      usedMs = answered.usedMs
      brokenOff = answered.verdict.kind === 'too_costly'
      if (isBounded && brokenOff) this.#lanes.putBack(owner, work)
      else work.resolve(answered.verdict)
    } catch (error) {
      work.reject(error instanceof Error ? error : new Error(String(error)))
    } finally {
      this.#lanes.charge(owner, usedMs + (brokenOff ? restartMs : 0), brokenOff)
      this.#idle.push(thread)
      // The reserved thread gets work last.
      this.#idle.sort((a, b) => this.#threads.indexOf(a) - this.#threads.indexOf(b))
      this.#giveOut()
    }
  }

  /** A single thread is not reserved. */
  #isReserved(thread: SchemaThread): boolean {
    return this.#threads.length > 1 && thread === this.#threads.at(-1)
  }
}

/** The threads of this process; each starts with its first question. */
export const schemaThreads = new SchemaThreads()
