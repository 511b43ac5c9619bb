import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { allPages } from '../../lookup/all-pages.ts'
import { pickNamed } from '../../lookup/pick-named.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

export const keysRevokeCommand = (): Command =>
  serviceCommand('revoke')
    .description('revoke an API key permanently')
    .argument('<key>', 'name or id of the key')
    .action((wanted: string, options: ConnectionOptions) =>
      withSession(options, async ({ client, report }) => {
        const keys = await allPages((query) => client.call(allRoutes.listApiKeys, { query }))
        const { id } = pickNamed('key', wanted, keys)
        const key = await client.call(allRoutes.revokeApiKey, { params: { id } })
        report.result(`Revoked ${escapeControls(key.name)}.\n`, key)
      }),
    )
