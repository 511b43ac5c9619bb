import type { Environment } from '@sandbox-jobs/contract/resources/environments/environment.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Session } from '../session/session.ts'
import { allPages } from './all-pages.ts'
import { pickNamed } from './pick-named.ts'

/** Every active environment that the caller can see. */
export const listEnvironments = ({ client }: Session): Promise<Environment[]> =>
  allPages((query) => client.call(allRoutes.listEnvironments, { query }))

/** An environment by name or id. */
export const findEnvironment = async (session: Session, wanted: string): Promise<Environment> =>
  pickNamed('environment', wanted, await listEnvironments(session))
