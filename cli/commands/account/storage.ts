import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { bytesText } from '../../output/sizes.ts'
import { table } from '../../output/table.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

export const storageCommand = (): Command =>
  serviceCommand('storage')
    .description('show the disk use of the company, for its managers')
    .action((options: ConnectionOptions) =>
      withSession(options, async (session) => {
        const use = await session.client.call(allRoutes.readStorageUse)
        const rows = use.kinds.map(({ kind, bytes }) => [kind.replaceAll('_', ' '), bytesText(bytes)])
        const limit = use.limit_bytes === null ? '' : ` of ${bytesText(use.limit_bytes)}`
        session.report.result(`${bytesText(use.kept_bytes)}${limit}\n${table(['WHAT', 'KEPT'], rows)}`, use)
      }),
    )
