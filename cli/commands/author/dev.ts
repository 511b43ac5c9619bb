import { once } from 'node:events'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { departmentOf, departmentOption } from '../../args/department-option.ts'
import { serviceCommand } from '../../args/service-command.ts'
import { deploy } from '../../deploy/deploy.ts'
import { cancelBuild, cancelRun, DevLoop } from '../../dev/dev-loop.ts'
import { runOnce } from '../../dev/run-once.ts'
import { watchSaves } from '../../dev/saved-files.ts'
import { CliError, exitCodes } from '../../failure.ts'
import { findRoom } from '../../lookup/find-room.ts'
import { readTaskFile } from '../../publish/read-task-file.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { type Session, withSession } from '../../session/session.ts'

interface Options extends ConnectionOptions {
  file: string
  input: string
  room?: string
  department?: string
}

export const devCommand = (): Command =>
  serviceCommand('dev')
    .description('deploy a task and run it, again at each save, and show log and output')
    .argument('[dir]', 'folder of the task file', '.')
    .option('--file <file>', 'task file in it', 'task.yaml')
    .addOption(departmentOption())
    .option('--input <file>', 'JSON input in it', 'input.json')
    .option('--room <room>', 'room to run it in (default: the first that the task file enables it in)')
    .addHelpText(
      'after',
      '\nA save cancels the build or the run that is under way. Ctrl-C cancels it too, and ends.' +
        '\nEach attempt that changes something publishes a version: use a task, an environment and a room to try things in.',
    )
    .action((dir: string, options: Options) =>
      withSession(options, (session) => develop(session, resolve(dir), options)),
    )

async function develop(session: Session, folder: string, options: Options): Promise<void> {
  const file = join(folder, options.file)
  const cid = await roomOf(session, file, options)
  const loop = new DevLoop(session, async (started) => {
    const { version } = await deploy(session, file, {
      ...departmentOf(options),
      onBuild: (build) => started(cancelBuild(session, build)),
    })
    const onRun = (run: { cid: string; rid: string }) => started(cancelRun(session, run))
    await runOnce(session, { cid, version, input: join(folder, options.input), onRun })
    session.report.progress('Waiting for a file to be saved; Ctrl-C ends.')
  })
  const watcher = watchSaves(folder, () => loop.request())
  loop.request()
  await once(process, 'SIGINT')
  watcher.close()
  // The second one ends at once.
  process.once('SIGINT', () => process.exit(exitCodes.interrupted))
  await loop.stop()
  process.exit(exitCodes.interrupted)
}

async function roomOf(session: Session, file: string, { room }: Options): Promise<string> {
  const { task } = await readTaskFile(file)
  const wanted = room ?? task.enable[0]
  if (wanted !== undefined) return findRoom(session, wanted)
  throw new CliError('The task file enables the task in no room.', {
    hint: 'Name a room under share and enable in the task file, or with --room one that it is enabled in.',
    code: 'cli_usage',
    exitCode: exitCodes.usage,
  })
}
