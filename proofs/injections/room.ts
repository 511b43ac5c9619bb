import { createHash } from 'node:crypto'
import { newId } from '../../server/base/ids.ts'
import type { Database } from '../../server/db/database.ts'
import { AgentApp } from '../../testing/apps/agent-app.ts'
import { makeRun, type RunnableTask } from '../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../testing/factories/tenant.ts'

/** Every place where text of a tenant can reach the result of a tool. */
export const places = [
  'task_name',
  'task_description',
  'input_instructions',
  'input_example',
  'input_schema',
  'error_detail',
  'output',
  'log',
  'relative_path',
  'declared_content_type',
  'summary',
] as const
export type Place = (typeof places)[number]

/** A room with one task, which needs a confirmation, and one ended run, whose texts an attacker writes. */
export class Room {
  readonly app: AgentApp
  readonly #db: Database
  readonly tenant: Tenant
  readonly task: RunnableTask
  readonly runId: string

  private constructor(parts: {
    db: Database
    app: AgentApp
    tenant: Tenant
    task: RunnableTask
    runId: string
  }) {
    this.#db = parts.db
    this.app = parts.app
    this.tenant = parts.tenant
    this.task = parts.task
    this.runId = parts.runId
  }

  static async make(db: Database): Promise<Room> {
    const app = new AgentApp(db)
    const tenant = await makeTenant(db)
    const task = await app.offer(tenant, { requires_confirmation: true })
    const { companyId, roomId, member } = tenant
    const runId = await makeRun(db, task, {
      chatroom_id: roomId,
      principal_id: member.principalId,
      state: 'customer_failed',
      exit_code: 1,
      terminal_at: new Date(),
    })
    await db
      .insertInto('run_contents')
      .values({
        run_id: runId,
        company_id: companyId,
        output_key: 'injected/output',
        log_key: 'injected/log',
      })
      .execute()
    const artifact = { id: newId('artifact'), run_id: runId, company_id: companyId, digest: 'sha256:0' }
    await db
      .insertInto('run_artifacts')
      .values({
        ...artifact,
        relative_path: 'a',
        path_hash: 'a',
        bundle_offset: 0,
        byte_size: 1,
        declared_content_type: 'a',
      })
      .execute()
    return new Room({ db, app, tenant, task, runId })
  }

  /** Writes the text into every place but the summary, which quotes the input that an agent makes of what it read. */
  async plant(text: string): Promise<void> {
    const { companyId } = this.tenant
    const own = { name: text, description: text }
    await this.#db
      .updateTable('tasks')
      .set(own)
      .where('id', '=', this.task.taskId)
      .where('company_id', '=', companyId)
      .execute()
    await this.#db
      .updateTable('task_versions')
      .set({
        input_instructions: text,
        input_example: JSON.stringify(text),
        input_schema: JSON.stringify({ description: text }),
      })
      .where('id', '=', this.task.versionId)
      .where('company_id', '=', companyId)
      .execute()
    await this.#db
      .updateTable('runs')
      .set({ error_code: 'work_exit_nonzero', error_detail: slugOf(text) })
      .where('id', '=', this.runId)
      .where('company_id', '=', companyId)
      .execute()
    const bytes = Buffer.from(text)
    await this.app.storage.put('injected/output', bytes)
    await this.app.storage.put('injected/log', bytes)
    await this.#db
      .updateTable('run_contents')
      .set({ output_bytes: bytes.length, log_bytes: bytes.length })
      .where('run_id', '=', this.runId)
      .where('company_id', '=', companyId)
      .execute()
    await this.#db
      .updateTable('run_artifacts')
      .set({
        relative_path: text,
        path_hash: createHash('sha256').update(text).digest('hex'),
        declared_content_type: text,
      })
      .where('run_id', '=', this.runId)
      .where('company_id', '=', companyId)
      .execute()
  }

  /** Runs that are there beside the planted one. */
  async started(): Promise<number> {
    const rows = await this.#db
      .selectFrom('runs')
      .select('id')
      .where('company_id', '=', this.tenant.companyId)
      .where('id', '!=', this.runId)
      .execute()
    return rows.length
  }
}

/** The only alphabet that an error detail has; the order in it is spelled out. */
const slugOf = (text: string): string =>
  `commit-${text.replaceAll(/[^A-Za-z0-9._@:/+=%;-]+/g, '-')}`.slice(0, 128)
