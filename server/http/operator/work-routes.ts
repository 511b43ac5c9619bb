import {
  ActRequest,
  StopBuildsRequest,
  WorkQuery,
} from '@sandbox-jobs/contract/operator/operator-requests.ts'
import { operatorRoutes } from '@sandbox-jobs/contract/operator/operator-routes.ts'
import type { Clock } from '../../base/clock.ts'
import type { Database } from '../../db/database.ts'
import { resumeBuilds, stopBuilds } from '../../operations/acts/build-acts.ts'
import { emptyQueue, endRun } from '../../operations/acts/run-acts.ts'
import { readOperatedBuilds, readOperatedRuns } from '../../operations/top/operated-work.ts'
import type { OperatorMount } from './operator-mount.ts'

interface Services {
  db: Database
  clock: Clock
}

export function mountWorkRoutes({ show, act }: OperatorMount<Services>, services: Services): void {
  show(operatorRoutes.listRuns, ({ query }) => readOperatedRuns(services.db, query.company), WorkQuery)
  show(operatorRoutes.listBuilds, ({ query }) => readOperatedBuilds(services, query.company), WorkQuery)
  act(operatorRoutes.endRun, ActRequest, ({ params }) => endRun(params.id))
  act(operatorRoutes.emptyQueue, ActRequest, ({ params }) => emptyQueue(params.id))
  act(operatorRoutes.stopBuilds, StopBuildsRequest, ({ body }) => stopBuilds(body.minutes))
  act(operatorRoutes.resumeBuilds, ActRequest, () => resumeBuilds())
}
