import { ActRequest } from '@sandbox-jobs/contract/operator/operator-requests.ts'
import { operatorRoutes } from '@sandbox-jobs/contract/operator/operator-routes.ts'
import type { Database } from '../../db/database.ts'
import { turnSwitchOff, turnSwitchOn } from '../../operations/acts/switch-acts.ts'
import type { OperatorMount } from './operator-mount.ts'

export function mountSwitchRoutes({ act }: OperatorMount<{ db: Database }>): void {
  act(operatorRoutes.turnSwitchOn, ActRequest, () => turnSwitchOn())
  act(operatorRoutes.turnSwitchOff, ActRequest, () => turnSwitchOff())
}
