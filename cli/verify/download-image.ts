import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { EnvironmentVersion } from '@sandbox-jobs/contract/resources/environments/environment-version.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { CliError } from '../failure.ts'
import type { Session } from '../session/session.ts'

/** Saves a version's image as a new file and returns its size. `proveImage` checks its content. */
export async function downloadImage(
  { client }: Session,
  version: EnvironmentVersion,
  path: string,
): Promise<number> {
  const params = { id: version.environment_id, vid: version.id }
  const { body } = await client.call(allRoutes.downloadImage, { params })
  if (!body) {
    throw new CliError('The service sent no image.', { hint: 'Try again.', code: 'cli_download' })
  }
  try {
    await pipeline(Readable.fromWeb(body), createWriteStream(path, { flags: 'wx' }))
  } catch (error) {
    if (error instanceof TypeError && error.message === 'terminated') {
      throw new CliError('The download of the image was interrupted.', {
        hint: 'Try again.',
        code: 'cli_download',
      })
    }
    throw error
  }
  return (await stat(path)).size
}
