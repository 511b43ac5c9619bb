import { setTimeout as sleep } from 'node:timers/promises'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import type { Tenant } from '../../main-job/tenant.ts'

/** Repeats a call until it has an answer. */
type UntilAnswered = <T>(route: Route, call: () => Promise<T>) => Promise<T>

/** A proposal, and the later turn in which its person agreed. */
interface Agreed {
  receipt: string
  turn: string
}

/** Codes of a tool that ask for the same call again: what a tool reports while the database restarts. */
const passing = ['retryable', 'provider_unavailable']
const retryMs = 50
const timeoutMs = 60_000

/**
 * An agent that proposes jobs, and its person, who agrees in a later message. One job at a time: a new proposal of a person
 * supersedes the one before.
 */
export class Conversation {
  readonly #tenant: Tenant
  readonly #untilAnswered: UntilAnswered
  readonly #agreed = new Map<string, Promise<Agreed>>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(tenant: Tenant, untilAnswered: UntilAnswered) {
    this.#tenant = tenant
    this.#untilAnswered = untilAnswered
  }

  /** Lets the agents of the room have their tools. */
  async open(): Promise<void> {
    const { client, room } = this.#tenant
    await client.call(allRoutes.updateChatroomJobs, { params: { cid: room }, body: { jobs: ['sandbox'] } })
  }

  /** Commits the job of that key, which is proposed once; returns its run. */
  submit(key: string, job: { version: string; input: unknown }): Promise<string> {
    const commit = this.#last.then(async () => {
      const agreed = this.#agreed.get(key) ?? this.#agree(job)
      this.#agreed.set(key, agreed)
      const { turn, receipt } = await agreed
      const { run_id } = await this.#callTool(turn, { mode: 'commit', proposal_receipt: receipt })
      return String(run_id)
    })
    this.#last = commit.catch(() => undefined)
    return commit
  }

  async #agree({ version, input }: { version: string; input: unknown }): Promise<Agreed> {
    const asked = await this.#say('Please run the job.')
    const proposed = await this.#callTool(asked, { mode: 'request', task_version_id: version, input })
    return { receipt: String(proposed.proposal_receipt), turn: await this.#say('Yes, run it.') }
  }

  async #say(text: string): Promise<string> {
    const { client, room } = this.#tenant
    const say = () => client.call(allRoutes.postMessage, { params: { cid: room }, body: { text } })
    return (await this.#untilAnswered(allRoutes.postMessage, say)).turn_context
  }

  async #callTool(turn: string, parameters: Record<string, unknown>): Promise<Record<string, unknown>> {
    const { publicClient } = this.#tenant
    const call = () =>
      publicClient.call(allRoutes.callAgentTool, {
        params: { tool: 'sandbox_submit_job' },
        headers: { 'X-Turn-Context': turn },
        body: parameters,
      })
    for (const startedAt = performance.now(); ; await sleep(retryMs)) {
      const result = await this.#untilAnswered(allRoutes.callAgentTool, call)
      if (result.status === 'ok') return result
      if (!passing.includes(result.error ?? '') || performance.now() - startedAt > timeoutMs)
        throw new Error(`sandbox_submit_job answered ${result.error}: ${result.message}`)
    }
  }
}
