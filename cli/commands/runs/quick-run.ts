import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { roomOption } from '../../args/room-option.ts'
import { serviceCommand } from '../../args/service-command.ts'
import { wholeNumber } from '../../args/whole-number.ts'
import { CliError, exitCodes } from '../../failure.ts'
import { findReadyVersion } from '../../lookup/find-ready-version.ts'
import { findRoom } from '../../lookup/find-room.ts'
import { followRun } from '../../runs/follow-run.ts'
import { bodyWithInput, readInput } from '../../runs/read-input.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { readWithRetry } from '../../session/read-with-retry.ts'
import { type Session, withSession } from '../../session/session.ts'

interface Options extends ConnectionOptions {
  room?: string
  env: string
  name: string
  input?: string
  timeout: number
  session?: string
  watch?: boolean
}

export const quickRunCommand = (): Command =>
  serviceCommand('quick-run')
    .description('run a script once in an environment, without publishing a task')
    .argument('<script>', 'file with the shell script, - for standard input')
    .addOption(roomOption())
    .requiredOption('--env <environment>', 'environment by name or id; ENVIRONMENT@VERSION is that version')
    .option('--name <name>', 'name of the run in lists', 'quick run')
    .option('--input <json>', 'JSON input as text, or a file with it; without it {}')
    .option('--session <session>', 'give the run a session: files that stay between runs')
    .option('--timeout <seconds>', 'timeout of the run in seconds', wholeNumber, 300)
    .option('--watch', 'show the log as it comes, then the output, and exit with the exit code of the job')
    .action((script: string, options: Options) =>
      withSession(
        options,
        (session) => quickRun(session, script, options),
        options.watch ? { failedExitCode: exitCodes.serviceFailed } : {},
      ),
    )

async function quickRun(session: Session, script: string, options: Options): Promise<void> {
  const { client, report } = session
  if (script === '-' && options.input === '-') throw bothFromStandardInput()
  const [work_script, input] = await Promise.all([scriptOf(script), readInput(options.input ?? '{}')])
  const cid = await findRoom(session, options.room)
  const rest = {
    name: options.name,
    environment_version_id: await findReadyVersion(session, options.env),
    work_script,
    timeout_seconds: options.timeout,
    ...(options.session !== undefined && { session: { session_id: options.session } }),
  }
  const call = {
    params: { cid },
    ...bodyWithInput(rest, input),
    idempotencyKey: randomUUID(),
  }
  const quick = await readWithRetry(
    () => client.call(options.session === undefined ? allRoutes.quickRun : allRoutes.quickRunInSession, call),
    () => report.progress('The service does not accept the run yet; retrying.'),
  )
  await session.remember([quick.run])
  if (options.watch) return followRun(session, { cid, rid: quick.run.id })
  report.result(`${quick.run.id} is ${quick.run.status}.\n`, quick)
}

const scriptOf = (file: string): Promise<string> =>
  (file === '-' ? readAll(process.stdin) : readFile(file, 'utf8')).catch((error: unknown) => {
    throw new CliError(`The script cannot be read: ${error instanceof Error ? error.message : error}`, {
      hint: 'Name a file, or - for standard input.',
      code: 'cli_input',
      exitCode: exitCodes.usage,
    })
  })

const bothFromStandardInput = () =>
  new CliError('Script and input cannot both come from standard input.', {
    hint: 'Name a file for one of them.',
    code: 'cli_usage',
    exitCode: exitCodes.usage,
  })
