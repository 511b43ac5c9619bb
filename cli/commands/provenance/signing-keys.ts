import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

export const signingKeysCommand = (): Command =>
  serviceCommand('signing-keys')
    .description('print the public keys with which images are verified, as PEM; needs no login')
    .action((options: ConnectionOptions) =>
      withSession(
        options,
        async ({ publicClient, report }) => {
          const { items } = await publicClient.call(allRoutes.listSigningKeys)
          report.result(items.map(({ public_key_pem }) => public_key_pem).join(''), { items })
        },
        { anonymous: true },
      ),
    )
