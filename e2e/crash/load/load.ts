import { randomBytes } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { SeededRandom } from '../../../server/base/seeded-random.ts'
import type { Tenant } from '../../main-job/tenant.ts'
import { Conversation } from './conversation.ts'
import { faultOf } from './documented.ts'
import type { JobInput, PublishedJob } from './job.ts'

/** One idempotency key and its request. */
export interface Intent {
  key: string
  input: JobInput
  /** Every run that the service acknowledged for the key; more than one is a violation. */
  runs: Set<string>
  cancelled: boolean
  /** By a request, by a row whose trigger starts the run, or by a proposal of an agent that its person confirms. */
  by: 'request' | 'row' | 'proposal'
  /** The session that its run takes. */
  session: string | undefined
}

const inFlightMax = 10
const byRowShare = 0.25
/** Of the others. Few, since proposals of a person come one after another. */
const byProposalShare = 0.15
const pauseMaxMs = 120
const retryMs = 50
const timeoutMs = 60_000
/** So few that some runs wait for a session. */
const sessionCount = 3
const sessionShare = 0.3

/**
 * Simulated users who submit, by a request, a row with a trigger or an agent, repeat a submission under the same key with or
 * without a lost response, and cancel at any moment. Each retries until the service has acknowledged; every error response must be documented.
 */
export class Load extends EventEmitter<{ submitted: []; cancelled: [] }> {
  readonly intents: Intent[] = []
  readonly faults: string[] = []
  readonly sessions: string[] = []
  readonly #tenant: Tenant
  readonly #job: PublishedJob
  readonly #draw: SeededRandom
  readonly #conversation: Conversation
  readonly #open = new Set<Promise<void>>()
  readonly #mark = randomBytes(4).toString('hex').slice(0, 7)
  #stopped = false
  #loop: Promise<void> = Promise.resolve()

  constructor(tenant: Tenant, job: PublishedJob, draw: SeededRandom) {
    super()
    this.#tenant = tenant
    this.#job = job
    this.#draw = draw
    this.#conversation = new Conversation(tenant, (route, call) => this.#untilAnswered(route, call))
  }

  openConversation(): Promise<void> {
    return this.#conversation.open()
  }

  async createSessions(): Promise<void> {
    const { client, room } = this.#tenant
    while (this.sessions.length < sessionCount) {
      const { id } = await client.call(allRoutes.createSession, { params: { cid: room }, body: {} })
      this.sessions.push(id)
    }
  }

  start(): void {
    this.#stopped = false
    this.#loop = this.#keepAsking()
  }

  /** Resolves once every intent is acknowledged and has ended. */
  async drain(): Promise<void> {
    this.#stopped = true
    await this.#loop
    await Promise.all(this.#open)
  }

  async #keepAsking(): Promise<void> {
    while (!this.#stopped) {
      if (this.#open.size < inFlightMax) this.#track(this.#person(this.#newIntent()))
      await sleep(this.#draw.below(pauseMaxMs))
    }
  }

  #track(work: Promise<void>): void {
    const tracked = work
      .catch(
        (error: unknown) => void this.faults.push(error instanceof Error ? error.message : String(error)),
      )
      .finally(() => this.#open.delete(tracked))
    this.#open.add(tracked)
  }

  #newIntent(): Intent {
    const nonce = `${this.#mark}${this.intents.length.toString(36).padStart(6, '0')}`
    const draw = this.#draw
    const by = draw.chance(byRowShare) ? 'row' : draw.chance(byProposalShare) ? 'proposal' : 'request'
    const intent: Intent = {
      key: `crash-${nonce}`,
      input: this.#drawInput(nonce),
      runs: new Set<string>(),
      cancelled: false,
      by,
      session: by === 'request' && draw.chance(sessionShare) ? draw.of(this.sessions) : undefined,
    }
    this.intents.push(intent)
    return intent
  }

  #drawInput(nonce: string): JobInput {
    const draw = this.#draw
    const quick = { nonce, exit_code: 0, log_lines: 0, artifacts: 0, seconds: 0 }
    return draw.of<() => JobInput>([
      () => quick,
      () => ({ ...quick, exit_code: 3, log_lines: 1 }),
      () => ({ ...quick, log_lines: draw.below(2000), artifacts: draw.below(20) }),
      () => ({ ...quick, seconds: draw.below(15) / 10 }),
      () => ({ ...quick, seconds: draw.below(15) / 10, artifacts: 3 }),
    ])()
  }

  /** All requests of one user about one run. */
  async #person(intent: Intent): Promise<void> {
    const draw = this.#draw
    const copies = draw.chance(0.3) ? 1 + draw.below(3) : 1
    const cancelAfterMs = draw.chance(0.2) ? draw.below(1200) : undefined
    await Promise.all(Array.from({ length: copies }, () => this.#submit(intent)))
    if (cancelAfterMs !== undefined) await this.#cancel(intent, cancelAfterMs)
    if (draw.chance(0.1)) await this.#submit(intent)
    await this.#end(intent)
    if (draw.chance(0.05)) await this.#submit(intent)
  }

  async #submit(intent: Intent): Promise<void> {
    if (intent.by === 'row') return this.#createRow(intent)
    if (intent.by === 'proposal') return this.#propose(intent)
    const { key, input, runs, session } = intent
    const { client, room } = this.#tenant
    const body = {
      task_version_id: this.#job.version,
      input,
      ...(session !== undefined && { session: { session_id: session } }),
    }
    const route = session === undefined ? allRoutes.submitRun : allRoutes.submitExtendedRun
    const submit = () => client.call(route, { params: { cid: room }, body, idempotencyKey: key })
    runs.add((await this.#untilAnswered(route, submit)).id)
    this.emit('submitted')
  }

  async #propose({ key, input, runs }: Intent): Promise<void> {
    runs.add(await this.#conversation.submit(key, { version: this.#job.confirmed, input }))
    this.emit('submitted')
  }

  /** Creates the row, and waits until its event has a run. */
  async #createRow({ key, input, runs }: Intent): Promise<void> {
    const { client } = this.#tenant
    const { orders, trigger } = this.#job.byRow
    const params = { id: orders }
    const create = () =>
      client.call(allRoutes.createRow, { params, body: { values: { job: input } }, idempotencyKey: key })
    const row = await this.#untilAnswered(allRoutes.createRow, create)
    this.emit('submitted')
    const list = () =>
      client.call(allRoutes.listTriggerEvents, { params: { id: trigger }, query: { page_size: 100 } })
    for (const startedAt = performance.now(); ; await sleep(retryMs)) {
      const { items } = await this.#untilAnswered(allRoutes.listTriggerEvents, list)
      const events = items.filter(({ row_id }) => row_id === row.id)
      const run = events.find(({ run_id }) => run_id !== null)?.run_id
      if (events.length === 1 && run) return void runs.add(run)
      if (performance.now() - startedAt > timeoutMs || events.length > 1)
        throw new Error(`${row.id} has ${events.length} events, and none with a run after a minute`)
    }
  }

  async #cancel(intent: Intent, afterMs: number): Promise<void> {
    await sleep(afterMs)
    intent.cancelled = true
    const params = { cid: this.#tenant.room, rid: this.#runOf(intent) }
    this.emit('cancelled')
    await this.#untilAnswered(allRoutes.cancelRun, () =>
      this.#tenant.client.call(allRoutes.cancelRun, { params }),
    )
  }

  async #end(intent: Intent): Promise<void> {
    const params = { cid: this.#tenant.room, rid: this.#runOf(intent) }
    const read = () => this.#tenant.client.call(allRoutes.readRun, { params })
    const startedAt = performance.now()
    while ((await this.#untilAnswered(allRoutes.readRun, read)).terminal_at === null) {
      if (performance.now() - startedAt > timeoutMs)
        throw new Error(`${params.rid} has no end after a minute`)
      await sleep(retryMs)
    }
  }

  /** The index of the job's intent; -1 if it is not of this load. */
  numberOf(nonce: string): number {
    return nonce.startsWith(this.#mark) ? Number.parseInt(nonce.slice(this.#mark.length), 36) : -1
  }

  #runOf({ runs }: Intent): string {
    return [...runs][0] ?? ''
  }

  async #untilAnswered<T>(route: Parameters<typeof faultOf>[0], call: () => Promise<T>): Promise<T> {
    const startedAt = performance.now()
    for (;;) {
      try {
        return await call()
      } catch (error) {
        const fault = faultOf(route, error)
        if (fault) this.faults.push(fault)
        if (performance.now() - startedAt > timeoutMs)
          throw new Error(`no answer for a minute: ${String(error)}`)
      }
      await sleep(retryMs)
    }
  }
}
