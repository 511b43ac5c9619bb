import type { ErrorCode } from '@sandbox-jobs/contract/errors/catalogue.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import type { LightMyRequestResponse } from 'fastify'
import type { Database } from '../../../server/db/database.ts'
import type { Request } from '../send.ts'
import type { Caller, World } from '../world.ts'

/** Prepares a state, and sends one request that fails with the code. */
export type ErrorScenario = (context: ScenarioContext) => Promise<ScenarioResponse>
export type ErrorScenarios = Partial<Record<ErrorCode, ErrorScenario>>

export interface ScenarioResponse {
  route: Route
  answer: LightMyRequestResponse
}

/** Access of an error scenario to the world. */
export class ScenarioContext {
  readonly world: World

  constructor(world: World) {
    this.world = world
  }

  get db(): Database {
    return this.world.database.db
  }

  get ids() {
    return this.world.own.ids
  }

  async send(caller: Caller, route: Route, request: Request = {}): Promise<ScenarioResponse> {
    return { route, answer: await this.world.send(caller, route, request) }
  }

  /** Sends the same request twice, and returns the second response. */
  async sendTwice(caller: Caller, route: Route, request: Request = {}): Promise<ScenarioResponse> {
    await this.sendOk(caller, route, request)
    return this.send(caller, route, request)
  }

  /** Sends a request that has to succeed, to prepare the failing one. */
  async sendOk(caller: Caller, route: Route, request: Request = {}): Promise<Record<string, unknown>> {
    const { answer } = await this.send(caller, route, request)
    if (answer.statusCode !== 200) throw new Error(`${route.method} ${route.path}: ${answer.body}`)
    return answer.json()
  }
}

export const makeTenantTask = ({ ids }: ScenarioContext) => ({
  name: 'New',
  owner_scope: 'department',
  owner_id: ids.department,
})

/** A run of the published version, under an idempotency key. */
export const submission = ({ ids }: ScenarioContext) => ({
  params: { cid: ids.room },
  body: { task_version_id: ids.taskVersion, input: {} as unknown },
  headers: { 'idempotency-key': 'once' },
})

export const draftOf = ({ ids }: ScenarioContext, fields: Record<string, unknown> = {}) => ({
  params: { id: ids.task },
  body: { environment_version_id: ids.readyVersion, work_script: 'true', ...fields },
})
