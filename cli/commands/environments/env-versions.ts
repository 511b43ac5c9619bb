import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { allPages } from '../../lookup/all-pages.ts'
import { findEnvironment } from '../../lookup/find-environment.ts'
import { bytesText } from '../../output/sizes.ts'
import { table } from '../../output/table.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

export const envVersionsCommand = (): Command =>
  serviceCommand('versions')
    .description('list the versions of an environment')
    .argument('<environment>', 'name or id of the environment')
    .action((wanted: string, options: ConnectionOptions) =>
      withSession(options, async (session) => {
        const environment = await findEnvironment(session, wanted)
        const items = await allPages((query) =>
          session.client.call(allRoutes.listEnvironmentVersions, { params: { id: environment.id }, query }),
        )
        const rows = items.map((version) => [
          `${version.version_number}${version.id === environment.current_version_id ? ' (current)' : ''}`,
          version.id,
          version.security_state === 'blocked' ? 'blocked' : version.state,
          version.resource_profile,
          version.unpacked_bytes === null ? '' : bytesText(version.unpacked_bytes),
          version.last_build_status,
        ])
        session.report.result(table(['VERSION', 'ID', 'STATE', 'PROFILE', 'SIZE', 'LAST BUILD'], rows), {
          items,
        })
      }),
    )
