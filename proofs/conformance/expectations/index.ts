import type { RouteName } from '@sandbox-jobs/contract/routes/index.ts'
import { agents } from './agents.ts'
import { companies } from './companies.ts'
import { environments } from './environments.ts'
import type { Expectation } from './expectation.ts'
import { notifications } from './notifications.ts'
import { runs } from './runs.ts'
import { secrets } from './secrets.ts'
import { sessions } from './sessions.ts'
import { tables } from './tables.ts'
import { tasks } from './tasks.ts'

/** Every route of the contract. The matrix fails for a route without a line here. */
export const expectations: Partial<Record<RouteName | (string & {}), Expectation>> = {
  ...environments,
  ...tasks,
  ...secrets,
  ...runs,
  ...sessions,
  ...tables,
  ...agents,
  ...notifications,
  ...companies,
}
