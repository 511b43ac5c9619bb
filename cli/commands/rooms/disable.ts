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
}

export const disableCommand = (): Command =>
  serviceCommand('disable')
    .description('take a task off the menu of a room; its share stays')
    .argument('<task>', 'name or id of the task')
    .addOption(roomOption())
    .action((wanted: string, options: Options) =>
      withSession(options, async (session) => {
        const cid = await findRoom(session, options.room)
        const { task_id: tid, task_name } = await findGrantedJob(session, cid, wanted)
        const job = await session.client.call(allRoutes.disableGrantedJob, { params: { cid, tid } })
        session.report.result(`${escapeControls(task_name)} is not on the menu.\n`, job)
      }),
    )
