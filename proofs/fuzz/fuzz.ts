import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { SeededRandom } from '../../server/base/seeded-random.ts'
import { type Caller, callers, type World } from '../conformance/world.ts'
import { faultOf } from './answer-fault.ts'
import { type FuzzedRequest, makeRequest } from './make-request.ts'

export interface Fault {
  /** Number of the request; with the seed it reproduces the request. */
  number: number
  route: string
  caller: Caller
  fault: string
  request: FuzzedRequest
}

/** Refused credentials reach little code, so most requests come from callers with rights. */
const powerful = ['member', 'manager', 'companyManager', 'administrator'] as const

const requestTimeoutMs = 20_000
const routes = Object.entries<Route>(allRoutes)

/** Requests of one seed. Each depends only on its number, so that it can be reproduced alone. */
export class Fuzz {
  readonly statuses = new Map<number, number>()
  readonly #world: World
  readonly #seed: number

  constructor(world: World, seed: number) {
    this.#world = world
    this.#seed = seed
  }

  /** Sends the request of that number to the initial world; returns the fault of the response. */
  async try(number: number): Promise<Fault | undefined> {
    const draw = new SeededRandom(Math.imul(this.#seed + 1, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b))
    const [name, route] = draw.of(routes)
    const caller = draw.of(draw.chance(0.6) ? powerful : callers)
    const request = makeRequest(draw, this.#world, name, route)
    const declared = request.method === route.method ? route : undefined
    const fault = await this.#world.rewind(() => this.#send(caller, request, declared))
    return fault === undefined ? undefined : { number, route: name, caller, fault, request }
  }

  async #send(caller: Caller, request: FuzzedRequest, route: Route | undefined): Promise<string | undefined> {
    const headers = { ...this.#world.callers[caller], ...request.headers }
    const { promise: late, resolve } = Promise.withResolvers<'late'>()
    const timer = setTimeout(resolve, requestTimeoutMs, 'late')
    const answer = await Promise.race([
      this.#world.app.inject({ ...request, method: request.method as 'GET', headers }),
      late,
    ])
    clearTimeout(timer)
    if (answer === 'late') return `no answer in ${requestTimeoutMs} ms`
    const { statusCode: status, body } = answer
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    return faultOf(route, { status, body })
  }
}
