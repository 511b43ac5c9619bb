import type { Command } from 'commander'
import { runRoomOption } from '../../args/room-option.ts'
import { serviceCommand } from '../../args/service-command.ts'
import { findRun } from '../../lookup/find-run.ts'
import { bytesText } from '../../output/sizes.ts'
import { table } from '../../output/table.ts'
import { listArtifacts } from '../../runs/list-artifacts.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

interface Options extends ConnectionOptions {
  room?: string
}

export const artifactsListCommand = (): Command =>
  serviceCommand('list')
    .description('list the artifacts of a run')
    .argument('<run>', 'id of the run')
    .addOption(runRoomOption())
    .action((run: string, options: Options) =>
      withSession(options, async (session) => {
        const items = await listArtifacts(session, await findRun(session, run, options.room))
        const rows = items.map((item) => [item.relative_path, bytesText(item.byte_size), item.id])
        session.report.result(table(['PATH', 'SIZE', 'ID'], rows), { items })
      }),
    )
