import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { BuildReference } from '../push/build-reference.ts'
import type { RunReference } from '../runs/watch-run.ts'
import type { Session } from '../session/session.ts'
import type { FollowedLog } from './follow-log.ts'

export const logOfRun = ({ client }: Session, params: RunReference): FollowedLog => ({
  open: (start) => client.call(allRoutes.followRunLog, { params, query: { start } }),
  what: 'run',
  whole: 'sandbox logs',
  out: process.stdout,
})

export const logOfBuild = ({ client }: Session, params: BuildReference): FollowedLog => ({
  open: (start) => client.call(allRoutes.followBuildLog, { params, query: { start } }),
  what: 'build',
  whole: 'sandbox build log',
  out: process.stdout,
})
