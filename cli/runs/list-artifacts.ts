import type { RunArtifact } from '@sandbox-jobs/contract/resources/runs/run-artifact.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { allPages } from '../lookup/all-pages.ts'
import type { Session } from '../session/session.ts'
import type { RunReference } from './watch-run.ts'

/** Every artifact of a run, by path. */
export const listArtifacts = ({ client }: Session, place: RunReference): Promise<RunArtifact[]> =>
  allPages((query) => client.call(allRoutes.listRunArtifacts, { params: place, query }))
