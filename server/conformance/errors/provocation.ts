import type { ErrorCode } from '@sandbox-jobs/contract/errors/catalogue.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import type { LightMyRequestResponse } from 'fastify'
import type { Database } from '../../db/database.ts'
import type { Request } from '../send.ts'
import type { Caller, World } from '../world.ts'

/** Makes one request that a code answers; what comes before it prepares. */
export type Provocation = (scene: Scene) => Promise<Provoked>
export type Provocations = Partial<Record<ErrorCode, Provocation>>

export interface Provoked {
  route: Route
  answer: LightMyRequestResponse
}

/** The world as a provocation sees it. */
export class Scene {
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

  async ask(caller: Caller, route: Route, request: Request = {}): Promise<Provoked> {
    return { route, answer: await this.world.send(caller, route, request) }
  }

  /** Asks twice the same; the second answer counts. */
  async askTwice(caller: Caller, route: Route, request: Request = {}): Promise<Provoked> {
    await this.must(caller, route, request)
    return this.ask(caller, route, request)
  }

  /** A call that must succeed, as a step towards a refusal. */
  async must(caller: Caller, route: Route, request: Request = {}): Promise<Record<string, unknown>> {
    const { answer } = await this.ask(caller, route, request)
    if (answer.statusCode !== 200) throw new Error(`${route.method} ${route.path}: ${answer.body}`)
    return answer.json()
  }
}
