import { actions } from '@sandbox-jobs/contract/access/actions.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { expect, test } from 'vitest'
import { idsFor, parametersOf } from './example-ids.ts'
import { expectations } from './expectations/index.ts'
import { hidden, routes, testMatrix } from './matrix-cells.ts'

/* Own ids, and those of another company: the wall between tenants. */
const world = await testMatrix(['own', 'foreign'])

test('every route has an expectation, and every expectation a route', () => {
  expect(Object.keys(expectations).sort()).toEqual(Object.keys(allRoutes).sort())
})

test.each(routes.filter(([, { action, path }]) => actions[action].key === 'own' && path.includes('{rid}')))(
  '%s hides runs of other submitters from a key with sandbox scope',
  async (name, route) => {
    const expectation = expectations[name]
    if (!expectation) throw new Error(`no expectation for ${name}`)
    const params = idsFor(parametersOf(route, expectation), { parameter: '', kind: 'own' }, world())
    const answer = await world().rewind(() => world().send('sandboxKeyInside', route, { params }))
    expect([answer.statusCode, answer.body]).toEqual([404, hidden('not_found')])
  },
)
