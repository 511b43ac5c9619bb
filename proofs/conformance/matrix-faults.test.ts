import type { Action, KeyRule } from '@sandbox-jobs/contract/access/action.ts'
import { type ActionName, actions } from '@sandbox-jobs/contract/access/actions.ts'
import * as ladders from '@sandbox-jobs/contract/access/role.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import type { LightMyRequestResponse } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { idsFor, parametersOf, type Variant } from './example-ids.ts'
import { expectations } from './expectations/index.ts'
import { expectedAnswer, isExpected, rolesOfCaller } from './expected-answer.ts'
import { sendCell } from './send-cell.ts'
import { callers, World } from './world.ts'

/*
 * Planted faults for the matrix: an entry of the table is changed in a copy, while the service keeps the real one. The
 * matrix, made from the copy, must then disagree with the service about somebody; else it would not notice a service that
 * strays from the table.
 */
const { url } = await createTestDatabase()
let world: World

beforeAll(async () => {
  world = await World.make(url)
})
afterAll(() => world.close())

const own: Variant = { parameter: '', kind: 'own' }

/** One route of each action that asks for credentials. */
const routeOfAction = Map.groupBy(Object.entries<Route>(allRoutes), ([, route]) => route.action)
const guarded = [...routeOfAction].flatMap(([action, [first]]) =>
  first && actions[action].roles.length > 0 ? [[action, ...first] as const] : [],
)

const { accessRoles, ...roleLists } = ladders

/** Callers whom the roles let in, by name: two lists that let in the same ones are no fault. Restricted keys count where one may. */
const letIn = (roles: Action['roles'], key: KeyRule): string =>
  callers
    .filter((caller) => (typeof key !== 'number' && key !== 'door') || !caller.startsWith('sandboxKey'))
    .filter((caller) => rolesOfCaller[caller].some((role) => roles.includes(role)))
    .join()

/** Faults of one entry, by what they are. */
function faultsOf(entry: Action): [string, Action][] {
  const roles = Object.entries(roleLists)
    .filter(([, list]) => letIn(list, entry.key) !== letIn(entry.roles, entry.key))
    .map(([name, list]): [string, Action] => [
      `for ${name}`,
      { ...entry, refusal: refusalOf(entry), roles: list },
    ])
  // That `own` is not `allowed` is shown by the runs of others, in the matrix itself.
  // A key of a member that is hidden a thing by its scope or by its role gets the same words.
  const sameKey: KeyRule[] =
    entry.key === 404 && !entry.roles.includes('room_member')
      ? [404, 'allowed']
      : entry.key === 'own' || entry.key === 'allowed'
        ? ['own', 'allowed']
        : entry.key === 'door'
          ? [403]
          : [entry.key]
  const keys = ([403, 404, 405, 'allowed'] as const)
    .filter((key) => !sameKey.includes(key))
    .map((key): [string, Action] => [`key ${key}`, { ...entry, key, refusal: refusalOf(entry) }])
  // An action that everybody but auditors may take is refused to them as `role_too_low`.
  const isForAll = entry.refusal === 'none' || entry.refusal === 'omitted'
  const refusal = refusalOf(entry) === 'hidden' && !isForAll ? 'role_too_low' : 'hidden'
  const refusals: [string, Action][] =
    letIn(entry.roles, entry.key) === letIn(accessRoles, entry.key)
      ? []
      : [[`refused as ${refusal}`, { ...entry, refusal }]]
  return [...roles, ...keys, ...refusals]
}

/** A fault may refuse somebody where nobody was refused. */
const refusalOf = ({ refusal }: Action): Action['refusal'] => (refusal === 'none' ? 'hidden' : refusal)

test.each(guarded)('the matrix notices every fault of the entry %s', async (action, name, route) => {
  const expectation = expectations[name]
  if (!expectation) throw new Error(`no expectation for ${name}`)
  const answers = new Map<(typeof callers)[number], LightMyRequestResponse>()
  for (const caller of callers) {
    const params = idsFor(parametersOf(route, expectation), own, world)
    const answer = await world.rewind(() =>
      sendCell(world, { route, expectation, caller, variant: own }, params),
    )
    answers.set(caller, answer)
  }
  const disagree = (entry: Action) => {
    const table = { ...actions, [action]: entry } as Record<ActionName, Action>
    return [...answers].some(
      ([caller, answer]) =>
        !isExpected(expectedAnswer({ route, expectation, caller, variant: own }, table), answer),
    )
  }
  const faults = faultsOf(actions[action])
  expect(faults.length).toBeGreaterThanOrEqual(5)
  expect(faults.filter(([, entry]) => !disagree(entry)).map(([fault]) => fault)).toEqual([])
})
