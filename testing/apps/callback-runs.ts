import { randomUUID } from 'node:crypto'
import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import { runRoutes } from '@sandbox-jobs/contract/routes/run-routes.ts'
import { sql } from 'kysely'
import {
  type CallbackAccess,
  CallbackCredentials,
} from '../../server/custom-tables/callbacks/callback-credentials.ts'
import type { Database } from '../../server/db/database.ts'
import { makeEnvironmentVersion } from '../factories/environment-version.ts'
import type { Tenant } from '../factories/tenant.ts'
import type { TestApi } from './test-api.ts'

/** A run in progress, with its credential. */
export interface StartedRun extends CallbackAccess {
  id: string
  fence: number
}

/** Runs with an output policy, as a worker starts them, without a sandbox. */
export class CallbackRuns {
  readonly #db: Database
  readonly #api: TestApi
  readonly #credentials: CallbackCredentials

  constructor(db: Database, api: TestApi) {
    this.#db = db
    this.#api = api
    const { key } = api.context.outputs
    key.prepare()
    this.#credentials = new CallbackCredentials(db, key)
  }

  /** A run of the member, by a task that is shared with the room. */
  async start(
    tenant: Tenant,
    { taskId, policy }: { taskId: string; policy: Record<string, unknown> },
  ): Promise<StartedRun> {
    const { companyId, roomId, member, departmentManager } = tenant
    const { id: environmentVersionId } = await makeEnvironmentVersion(this.#db, { companyId })
    const version = await this.#api.tasks.publish(departmentManager, {
      taskId,
      environmentVersionId,
      fields: { output_policy: policy },
    })
    const { id } = await this.#api.must<RunDetail>(runRoutes.submitRun, member, {
      params: { cid: roomId },
      body: { task_version_id: version.id, input: {} },
      headers: { 'idempotency-key': randomUUID() },
    })
    const run = { id, companyId, fence: 1 }
    await this.claim(run)
    return { id, fence: run.fence, ...(await this.mint(run, String(policy.kind))) }
  }

  claim({ id, companyId, fence }: { id: string; companyId: string; fence: number }): Promise<unknown> {
    return sql`update runs set state = 'running', fence = ${fence}, claimed_at = now(), worker = 'w', executor = 'e',
        sandbox_id = ${`${id}_${fence}`}, lease_until = now() + interval '1 h'
      where id = ${id} and company_id = ${companyId}`.execute(this.#db)
  }

  /** A new credential for the claim, which replaces an earlier one. */
  mint(run: { id: string; companyId: string; fence: number }, kind: string): Promise<CallbackAccess> {
    return this.#credentials.mint(run, { kind: kind as 'custom_table_writeback', timeoutSeconds: 60 })
  }
}
