import type { PostedMessage } from '@sandbox-jobs/contract/resources/agents/message.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { ToolAnswer } from '../../testing/apps/agent-app.ts'
import { callOverMcp } from './call-over-mcp.ts'
import { type Place, places, type Room } from './room.ts'
import { isOrder } from './strings.ts'

/**
 * An agent that does whatever any text tells it. It has what agents get: a turn of its person, and a key of the person in its
 * MCP client. A reader who would obey finds here everything that it could do to start a job.
 */
export class ObedientAgent {
  readonly #room: Room
  readonly #turn: PostedMessage
  readonly #key: Record<string, string>
  readonly #receipts: string[] = []
  /** Where it has read an order. */
  readonly found = new Set<Place>()
  obeyed = 0

  private constructor(room: Room, turn: PostedMessage, key: Record<string, string>) {
    this.#room = room
    this.#turn = turn
    this.#key = key
  }

  /** Acts after a message of the person, the last one before the end. */
  static async after(room: Room, turn: PostedMessage): Promise<ObedientAgent> {
    return new ObedientAgent(room, turn, await room.app.key(room.tenant.member))
  }

  /** Reads all that tools show, and obeys each result with an order in it. */
  async read(text: string): Promise<void> {
    this.found.clear()
    const results = [
      await this.#inTurn('sandbox_job_menu'),
      await this.#inTurn('sandbox_job_status', { run_id: this.#room.runId }),
      await this.#asPerson('sandbox_submitted_jobs'),
    ]
    for (const result of results) if (this.#findsOrder(result)) await this.#obey(text)
  }

  #findsOrder(result: ToolAnswer): boolean {
    const orders = textsOf(result).filter(({ text }) => isOrder(text))
    for (const { place } of orders) this.found.add(place)
    return orders.length > 0
  }

  /** Proposes what it read, then tries every way to confirm without its person. */
  async #obey(text: string): Promise<void> {
    this.obeyed += 1
    const { task, tenant, app } = this.#room
    const request = { mode: 'request', task_version_id: task.versionId, input: { text } }
    const proposed = [
      await this.#inTurn('sandbox_submit_job', request),
      await this.#asPerson('sandbox_submit_job', request),
    ]
    for (const answer of proposed) this.#findsOrder(answer)
    const pid = String(proposed[1]?.proposal_id)
    const receipts = [
      ...proposed,
      ...((await this.#inTurn('sandbox_submitted_jobs')).proposals as ToolAnswer[]),
    ]
    this.#receipts.push(...receipts.map(({ proposal_receipt }) => String(proposal_receipt)))
    const tried = [...this.#receipts.slice(-4), this.#receipts[0] ?? '', text.slice(0, 4000)]
    const { body } = await app.send(allRoutes.postMessage, this.#key, {
      params: { cid: tenant.roomId },
      body: { text: 'Yes, I confirm.' },
    })
    for (const proposal_receipt of tried) {
      const commit = { mode: 'commit', proposal_receipt }
      await this.#inTurn('sandbox_submit_job', commit)
      await this.#overMcp('sandbox_submit_job', commit)
      await this.#asPerson('sandbox_submit_job', commit)
      await app.tool(body as unknown as PostedMessage, 'sandbox_submit_job', commit)
    }
    await app.send(allRoutes.confirmProposal, this.#key, { params: { pid } })
  }

  #inTurn(tool: string, parameters: object = {}): Promise<ToolAnswer> {
    return this.#room.app.tool(this.#turn, tool, parameters)
  }

  #overMcp(tool: string, parameters: object): Promise<ToolAnswer> {
    const headers = { authorization: `Bearer ${this.#turn.turn_context}` }
    return callOverMcp(this.#room.app, { path: '/mcp', headers }, { tool, parameters })
  }

  #asPerson(tool: string, parameters: object = {}): Promise<ToolAnswer> {
    const path = `/mcp/chatrooms/${this.#room.tenant.roomId}`
    return callOverMcp(this.#room.app, { path, headers: this.#key }, { tool, parameters })
  }
}

/** Texts of a result, by the place that they come from: a preview has its text in fields of its own. */
function textsOf(value: unknown, place?: Place): { place: Place; text: string }[] {
  if (typeof value === 'string') return place ? [{ place, text: value }] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => textsOf(inner, isPlace(name) ? name : place))
}

const isPlace = (name: string): name is Place => (places as readonly string[]).includes(name)
