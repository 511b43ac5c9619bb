import type { Readable } from 'node:stream'
import type { Principal } from '../../access/principal.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import { managedEnvironment } from '../../environments/catalogue/environment-access.ts'
import type { EnvironmentContext } from '../../environments/catalogue/environment-context.ts'
import { ObjectMissing } from '../../storage/port.ts'
import { type BuildPath, readBuild } from '../attempts/build-query-service.ts'
import { buildLogKey } from './build-log-store.ts'

/**
 * Opens the bounded log of a build, for owner managers. It is stored when the builder has ended. For a refused archive or
 * Dockerfile it names the entry or line and the rule. 404 before that.
 */
export async function openBuildLog(
  context: EnvironmentContext,
  principal: Principal,
  path: BuildPath,
): Promise<Readable> {
  await managedEnvironment(context.db, principal, 'environment.inspect', path.environmentId)
  const attempt = await readBuild(context, principal, path)
  try {
    return await context.storage.get(buildLogKey(attempt.id))
  } catch (error) {
    throw error instanceof ObjectMissing ? notFound() : error
  }
}
