import type { Readable } from 'node:stream'
import { notFound } from '../base/coded-error.ts'
import { managedEnvironment } from '../environments/environment-access.ts'
import type { EnvironmentContext } from '../environments/environment-context.ts'
import type { Principal } from '../platform/principal.ts'
import { ObjectMissing } from '../storage/port.ts'
import { buildLogKey } from './build-log-key.ts'
import { type BuildPath, readBuild } from './build-query-service.ts'

/**
 * What the steps of a build printed, bounded, for owner managers. It is kept when the Dockerfile has run to its end; for
 * an archive or a Dockerfile that was refused it says which entry or line broke which rule. Before that there is none: 404.
 */
export async function openBuildLog(
  context: EnvironmentContext,
  principal: Principal,
  path: BuildPath,
): Promise<Readable> {
  await managedEnvironment(context.db, principal, path.environmentId)
  const attempt = await readBuild(context, principal, path)
  try {
    return await context.storage.get(buildLogKey(attempt.id))
  } catch (error) {
    throw error instanceof ObjectMissing ? notFound() : error
  }
}
