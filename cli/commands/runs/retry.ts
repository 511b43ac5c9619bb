import { randomUUID } from 'node:crypto'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { runRoomOption } from '../../args/room-option.ts'
import { serviceCommand } from '../../args/service-command.ts'
import { exitCodes } from '../../failure.ts'
import { findRun } from '../../lookup/find-run.ts'
import { followRun } from '../../runs/follow-run.ts'
import { bodyWithInput, readInput } from '../../runs/read-input.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { readWithRetry } from '../../session/read-with-retry.ts'
import { type Session, withSession } from '../../session/session.ts'

interface Options extends ConnectionOptions {
  room?: string
  input?: string
  watch?: boolean
}

export const retryCommand = (): Command =>
  serviceCommand('retry')
    .description('run the same version again, with the same input or another one')
    .argument('<run>', 'id of the run')
    .addOption(runRoomOption())
    .option('--input <json>', 'another JSON input, as text or a file, - for standard input')
    .option('--watch', 'show the log as it comes, then the output, and exit with the exit code of the job')
    .action((run: string, options: Options) =>
      withSession(
        options,
        (session) => retry(session, run, options),
        options.watch ? { failedExitCode: exitCodes.serviceFailed } : {},
      ),
    )

async function retry(session: Session, run: string, options: Options): Promise<void> {
  const { client, report } = session
  const input = options.input === undefined ? undefined : await readInput(options.input)
  const params = await findRun(session, run, options.room)
  const idempotencyKey = randomUUID()
  const body = input && bodyWithInput({}, input)
  const submitted = await readWithRetry(
    () => client.call(allRoutes.retryRun, { params, idempotencyKey, ...body }),
    () => report.progress('The service does not accept the run yet; retrying.'),
  )
  await session.remember([submitted])
  if (options.watch) return followRun(session, { cid: params.cid, rid: submitted.id })
  report.result(`${submitted.id} is ${submitted.status}.\n`, submitted)
}
