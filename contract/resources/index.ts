import * as access from './access/index.ts'
import * as agents from './agents/index.ts'
import * as builds from './builds/index.ts'
import * as companies from './companies/index.ts'
import * as doors from './doors/index.ts'
import * as environments from './environments/index.ts'
import * as notifications from './notifications/index.ts'
import * as runs from './runs/index.ts'
import * as schedules from './schedules/index.ts'
import * as secrets from './secrets/index.ts'
import * as sessions from './sessions/index.ts'
import * as tables from './tables/index.ts'
import * as tasks from './tasks/index.ts'

/** Schemas by their names in the OpenAPI document; each area lists its own. */
export const namedSchemas = {
  ...access,
  ...agents,
  ...builds,
  ...companies,
  ...doors,
  ...environments,
  ...notifications,
  ...runs,
  ...schedules,
  ...secrets,
  ...sessions,
  ...tables,
  ...tasks,
}
