import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { roomOption } from '../../args/room-option.ts'
import { serviceCommand } from '../../args/service-command.ts'
import { findGrantedJob } from '../../lookup/find-granted-job.ts'
import { findRoom } from '../../lookup/find-room.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

interface Options extends ConnectionOptions {
  room?: string
  taskVersion?: string
}

export const enableCommand = (): Command =>
  serviceCommand('enable')
    .description('put a task that is shared with a room on its menu, or move the room to the newest version')
    .argument('<task>', 'name or id of the task')
    .addOption(roomOption())
    .option('--task-version <id>', 'id of the version to pin (default: the newest published one)')
    .action((wanted: string, options: Options) =>
      withSession(options, async (session) => {
        const cid = await findRoom(session, options.room)
        const { task_id: tid, task_name } = await findGrantedJob(session, cid, wanted)
        const body = options.taskVersion === undefined ? {} : { task_version_id: options.taskVersion }
        const job = await session.client.call(allRoutes.enableGrantedJob, { params: { cid, tid }, body })
        session.report.result(
          `${escapeControls(task_name)} is on the menu, with version ${job.pinned_task_version_id}.\n`,
          job,
        )
      }),
    )
