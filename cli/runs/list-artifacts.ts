import type { RunArtifact } from '@sandbox-jobs/contract/resources/run-artifact.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { allPages } from '../lookup/all-pages.ts'
import type { Session } from '../session/session.ts'
import type { RunPlace } from './watch-run.ts'

/** Every artifact of a run, by path. */
export const listArtifacts = ({ client }: Session, place: RunPlace): Promise<RunArtifact[]> =>
  allPages((query) => client.call(allRoutes.listRunArtifacts, { params: place, query }))
