import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { CliError, exitCodes } from '../failure.ts'
import { bodyOf } from '../runs/download.ts'
import type { Session } from '../session/session.ts'

/** The lines of an export in a file. */
export async function* linesOfFile(path: string): AsyncGenerator<string> {
  try {
    yield* createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })
  } catch (error) {
    throw new CliError(`${path} cannot be read.`, {
      hint: error instanceof Error ? error.message : String(error),
      code: 'cli_usage',
      exitCode: exitCodes.usage,
    })
  }
}

/** The lines of an export by the service. */
export async function* linesOfService({ client }: Session): AsyncGenerator<string> {
  const response = await client.call(allRoutes.exportAuditEntries)
  yield* createInterface({ input: Readable.fromWeb(bodyOf(response)) })
}
