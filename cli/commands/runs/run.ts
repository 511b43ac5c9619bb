import { randomUUID } from 'node:crypto'
import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { roomOption } from '../../args/room-option.ts'
import { serviceCommand } from '../../args/service-command.ts'
import { wholeNumber } from '../../args/whole-number.ts'
import { exitCodes } from '../../failure.ts'
import { findMenuItem } from '../../lookup/find-menu-item.ts'
import { findRoom } from '../../lookup/find-room.ts'
import { cancelOnInterrupt } from '../../runs/cancel-on-interrupt.ts'
import { exitCodeOfRun } from '../../runs/exit-code-of-run.ts'
import { readInput } from '../../runs/read-input.ts'
import { showContent } from '../../runs/show-content.ts'
import { type RunReference, watchRun } from '../../runs/watch-run.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { readWithRetry } from '../../session/read-with-retry.ts'
import { type Session, withSession } from '../../session/session.ts'

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
    .option('--timeout <seconds>', 'timeout of the run in seconds (default: that of the task)', wholeNumber)
    .option('--watch', 'follow the run, print its output, and exit with its exit code')
    .addHelpText(
      'after',
      '\nWith --watch the exit code is that of the job; 124 when it timed out; 125 when the job has no exit code:' +
        '\nnot submitted, cancelled, out of memory, or a failure of the platform. Ctrl-C cancels the run.',
    )
    .action((task: string, options: Options) =>
      // The reader of the exit code must be able to distinguish the job's from that of this command.
      withSession(
        options,
        (session) => run(session, task, options),
        options.watch ? { failedExitCode: exitCodes.serviceFailed } : {},
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
  const submitted = await readWithRetry(
    () =>
      client.call(allRoutes.submitRun, {
        params: { cid },
        body: { ...rest, input: input.value },
        bodyText: `${JSON.stringify(rest).slice(0, -1)},"input":${input.text}}`,
        idempotencyKey,
      }),
    () => report.progress('The service does not accept the run yet; retrying.'),
  )
  await session.remember([submitted])
  const place = { cid, rid: submitted.id }
  if (options.watch) return follow(session, place)
  report.result(
    `${submitted.id} is ${submitted.status}.\nSee it with: sandbox runs --room ${cid}\n`,
    submitted,
  )
}

async function follow(session: Session, place: RunReference): Promise<void> {
  const { report } = session
  report.progress(`run ${place.rid}`)
  const stop = cancelOnInterrupt(session, place)
  const ended = await watchRun(session, place).finally(stop)
  await showOutput(session, place)
  process.exitCode = exitCodeOfRun(ended)
  if (ended.status !== 'completed') report.failure(failureOf(ended))
}

/** Nothing where the run has no output. */
async function showOutput(session: Session, place: RunReference): Promise<void> {
  const content = await session.client.call(allRoutes.readRunContent, { params: place })
  if (content.has_output) await showContent(session, place, 'output')
}

const failureOf = (run: RunDetail) => ({
  code: run.error_code,
  message: `The run ended as ${run.status}${run.exit_code === null ? '' : `, exit code ${run.exit_code}`}`,
  hint: `${run.failure_hint} The log: sandbox logs ${run.id}`.trim(),
  exitCode: exitCodeOfRun(run),
})
