import { randomUUID } from 'node:crypto'
import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import type { RunDetail } from '@sandbox-jobs/contract/resources/run.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { roomOption } from '../args/room-option.ts'
import { serviceCommand } from '../args/service-command.ts'
import { wholeNumber } from '../args/whole-number.ts'
import { exitCodes } from '../failure.ts'
import { findMenuItem } from '../lookup/find-menu-item.ts'
import { findRoom } from '../lookup/find-room.ts'
import { cancelOnInterrupt } from '../runs/cancel-on-interrupt.ts'
import { exitCodeOfRun } from '../runs/exit-code-of-run.ts'
import { readInput } from '../runs/read-input.ts'
import { showContent } from '../runs/show-content.ts'
import { type RunPlace, watchRun } from '../runs/watch-run.ts'
import type { ConnectionOptions } from '../session/connection.ts'
import { patientRead } from '../session/patient-read.ts'
import { type Session, withSession } from '../session/session.ts'

interface Options extends ConnectionOptions {
  room: string
  input?: string
  timeout?: number
  watch?: boolean
}

export const runCommand = (): Command =>
  serviceCommand('run')
    .description('run a task in a room, and with --watch wait for its result')
    .argument('<task>', 'task that the room has enabled, by name or id')
    .addOption(roomOption())
    .option('--input <file>', 'JSON input, - for standard input; without it {}')
    .option(
      '--timeout <seconds>',
      'seconds the run may take, if less or more than the task says',
      wholeNumber,
    )
    .option('--watch', 'follow the run, print its output, and exit with its exit code')
    .addHelpText(
      'after',
      '\nWith --watch the exit code is that of the job; 124 when its time ran out; 125 when there is none of the job:' +
        '\nnot submitted, cancelled, out of memory, or a failure of the platform. Ctrl-C cancels the run.',
    )
    .action((task: string, options: Options) =>
      // Whoever reads the exit code of the job must not take a failure of this command for it.
      withSession(
        options,
        (session) => run(session, task, options),
        options.watch ? { failedExitCode: exitCodes.notTheJob } : {},
      ),
    )

async function run(session: Session, task: string, options: Options): Promise<void> {
  const { client, report } = session
  const input = options.input === undefined ? { value: {}, text: '{}' } : await readInput(options.input)
  const cid = await findRoom(session, options.room)
  const item = await findMenuItem(session, cid, task)
  const idempotencyKey = randomUUID()
  const timeout = options.timeout === undefined ? {} : { timeout_seconds: options.timeout }
  const rest = { task_version_id: item.task_version_id, ...timeout }
  const submitted = await patientRead(
    () =>
      client.call(allRoutes.submitRun, {
        params: { cid },
        body: { ...rest, input: input.value },
        bodyText: `${JSON.stringify(rest).slice(0, -1)},"input":${input.text}}`,
        idempotencyKey,
      }),
    () => report.progress('The service does not take the run yet; trying again.'),
  )
  await session.remember([submitted])
  const place = { cid, rid: submitted.id }
  if (options.watch) return follow(session, place)
  report.result(
    `${submitted.id} is ${submitted.status}.\nSee it with: sandbox runs --room ${cid}\n`,
    submitted,
  )
}

async function follow(session: Session, place: RunPlace): Promise<void> {
  const { report } = session
  report.progress(`run ${place.rid}`)
  const stop = cancelOnInterrupt(session, place)
  const ended = await watchRun(session, place).finally(stop)
  await showOutput(session, place)
  process.exitCode = exitCodeOfRun(ended)
  if (ended.status !== 'completed') report.failure(failureOf(ended))
}

/** A key that may run tasks but make no links is no failure of the run. */
async function showOutput(session: Session, place: RunPlace): Promise<void> {
  const { client, report } = session
  try {
    const content = await client.call(allRoutes.readRunContent, { params: place })
    if (content.has_output) await showContent(session, place, 'output')
  } catch (error) {
    if (!(error instanceof ApiError) || ![403, 404, 405].includes(error.status)) throw error
    report.progress('The output cannot be read with these credentials.')
  }
}

const failureOf = (run: RunDetail) => ({
  code: run.error_code,
  message: `The run ended as ${run.status}${run.exit_code === null ? '' : `, exit code ${run.exit_code}`}`,
  hint: `${run.failure_hint} The log: sandbox logs ${run.id}`.trim(),
  exitCode: exitCodeOfRun(run),
})
