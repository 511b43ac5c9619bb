import type { Readable } from 'node:stream'
import { downloaderOf } from '../../access/downloader.ts'
import type { Principal } from '../../access/principal.ts'
import { managedEnvironment } from '../../environments/catalogue/environment-access.ts'
import type { EnvironmentContext } from '../../environments/catalogue/environment-context.ts'
import type { Downloads } from '../../storage/downloads/downloads.ts'
import { type BuildPath, readBuild } from '../attempts/build-query-service.ts'
import { buildLogKey } from './build-log-store.ts'

/**
 * Opens the bounded log of a build, for owner managers. It is stored when the builder has ended. For a refused archive or
 * Dockerfile it names the entry or line and the rule. 404 before that. Throws `downloads_busy`.
 */
export async function openBuildLog(
  context: EnvironmentContext & { downloads: Downloads },
  principal: Principal,
  { signal, ...path }: BuildPath & { signal: AbortSignal },
): Promise<Readable> {
  await managedEnvironment(context.db, principal, 'environment.inspect', path.environmentId)
  const attempt = await readBuild(context, principal, path)
  return context.downloads.stream({ ...downloaderOf(principal), signal }, () =>
    context.storage.get(buildLogKey(attempt.id)),
  )
}
