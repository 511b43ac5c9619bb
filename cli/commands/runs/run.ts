import { type Command, Option } from 'commander'
import { repeated } from '../../args/repeated.ts'
import { roomOption } from '../../args/room-option.ts'
import { serviceCommand } from '../../args/service-command.ts'
import { wholeNumber } from '../../args/whole-number.ts'
import { exitCodes } from '../../failure.ts'
import { engineNames } from '../../local/engines/choose-engine.ts'
import { findMenuItem } from '../../lookup/find-menu-item.ts'
import { findRoom } from '../../lookup/find-room.ts'
import { followRun } from '../../runs/follow-run.ts'
import { readInput } from '../../runs/read-input.ts'
import { setFields } from '../../runs/set-fields.ts'
import { submitRun } from '../../runs/submit-run.ts'
import { localFiles } from '../../runs/upload-files.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { type Session, withSession } from '../../session/session.ts'
import { type LocalOptions, runLocally } from './run-locally.ts'

interface Options extends ConnectionOptions, LocalOptions {
  room?: string
  meta?: string[]
  session?: string
  watch?: boolean
  local?: boolean
}

/** An option that only a local run has. */
const localOption = (flags: string, description: string): Option =>
  new Option(flags, description).implies({ local: true })

export const runCommand = (): Command =>
  serviceCommand('run')
    .description(
      'run a task in a room, and with --watch wait for its result; with --local run one without a service',
    )
    .argument('[task]', 'task that the room has enabled, by name or id; with --local a folder or a task file')
    .addOption(roomOption())
    .option('--input <json>', 'JSON input as text, or a file with it, - for standard input; without it {}')
    .option('--set <name=value>', 'set a field of the input, by the schema of the task; repeatable', repeated)
    .option('--file <[name=]path>', 'give the run a file, below /workspace/inputs; repeatable', repeated)
    .option('--meta <key=value>', 'note something about the run, such as external_user; repeatable', repeated)
    .option('--session <session>', 'give the run a session: files that stay between runs')
    .option('--timeout <seconds>', 'timeout of the run in seconds (default: that of the task)', wholeNumber)
    .option('--watch', 'show the log as it comes, then the output, and exit with the exit code of the job')
    .addOption(
      new Option('--local', 'run the files of this machine once with docker, podman or crun').conflicts([
        'room',
        'meta',
        'session',
      ]),
    )
    .addOption(localOption('--image <image>', 'local: an image instead of a build of the Dockerfile'))
    .addOption(
      localOption('--rootfs <dir>', 'local: a folder with the files of an image, for crun').conflicts([
        'image',
      ]),
    )
    .addOption(
      localOption('--engine <engine>', 'local: what runs it (default: the first that works)').choices(
        engineNames,
      ),
    )
    .addOption(localOption('--out <dir>', 'local: folder in which artifacts are saved'))
    .addOption(localOption('--force', 'local: replace existing files in it'))
    .option('--no-network', 'local: without a network')
    .addHelpText(
      'after',
      '\nWith --watch the exit code is that of the job; 124 when it timed out; 125 when the job has no exit code:' +
        '\nnot submitted, cancelled, out of memory, or a failure of the platform. Ctrl-C cancels the run.',
    )
    .action((task: string | undefined, options: Options, command: Command) => {
      if (options.local) return runLocally(task ?? '.', options)
      if (task === undefined) command.error("error: missing required argument 'task'")
      // The reader of the exit code must be able to distinguish the job's from that of this command.
      return withSession(
        options,
        (session) => run(session, task, options),
        options.watch ? { failedExitCode: exitCodes.serviceFailed } : {},
      )
    })

async function run(session: Session, task: string, options: Options): Promise<void> {
  const { report } = session
  const { input: given = '{}', set = [], file = [], meta: metadata = [] } = options
  const [input, files] = await Promise.all([readInput(given), localFiles(file)])
  const cid = await findRoom(session, options.room)
  const item = await findMenuItem(session, cid, task)
  const submitted = await submitRun(session, {
    cid,
    versionId: item.task_version_id,
    input: setFields(input, set, item.input_schema),
    timeoutSeconds: options.timeout,
    files,
    metadata,
    sessionId: options.session,
  })
  await session.remember([submitted])
  const reference = { cid, rid: submitted.id }
  if (options.watch) return followRun(session, reference)
  report.result(
    `${submitted.id} is ${submitted.status}.\nSee it with: sandbox runs --room ${cid}\n`,
    submitted,
  )
}
