import { join } from 'node:path'
import { LogQuery } from '@sandbox-jobs/contract/operator/operator-requests.ts'
import { operatorRoutes } from '@sandbox-jobs/contract/operator/operator-routes.ts'
import { readServiceLog } from '../../operations/operator-view/operated-log.ts'
import type { OperatorMount } from './operator-mount.ts'

interface Services {
  config: { dataDir: string }
}

export function mountLogRoutes({ show }: OperatorMount<Services>, { config }: Services): void {
  const folder = join(config.dataDir, 'logs')
  show(operatorRoutes.readLog, ({ query }) => readServiceLog(folder, query), LogQuery)
}
