import type { RunUsage } from '@sandbox-jobs/contract/resources/runs/run-usage.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { runRoomOption } from '../../args/room-option.ts'
import { serviceCommand } from '../../args/service-command.ts'
import { findRun } from '../../lookup/find-run.ts'
import { bytesText, durationText } from '../../output/sizes.ts'
import { table } from '../../output/table.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'
import { usageReportCommand } from './usage-report.ts'

interface Options extends ConnectionOptions {
  room?: string
}

export const usageCommand = (): Command =>
  serviceCommand('usage')
    .description('show the memory, processor time and traffic of a run, or report the usage of the company')
    .argument('<run>', 'id of the run')
    .addOption(runRoomOption())
    .addCommand(usageReportCommand())
    .action((run: string, options: Options) =>
      withSession(options, async (session) => {
        const params = await findRun(session, run, options.room)
        const usage = await session.client.call(allRoutes.readRunUsage, { params })
        session.report.result(table(['MEMORY', 'OF', 'CPU', 'IN', 'OUT'], [rowOf(usage)]), usage)
      }),
    )

const rowOf = (usage: RunUsage): string[] => [
  usage.peak_memory_bytes === null ? '' : bytesText(usage.peak_memory_bytes),
  bytesText(usage.memory_limit_bytes),
  usage.cpu_ms === null ? '' : durationText(usage.cpu_ms),
  bytesText(usage.ingress_bytes),
  bytesText(usage.egress_bytes),
]
