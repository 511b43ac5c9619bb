import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { bodyOf, showBytes } from '../../runs/download.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

export const auditExportCommand = (): Command =>
  serviceCommand('export')
    .description('print the audit log of the company as JSON lines: its head, then all entries, oldest first')
    .action((options: ConnectionOptions) =>
      withSession(options, async ({ client }) =>
        showBytes(bodyOf(await client.call(allRoutes.exportAuditEntries))),
      ),
    )
