import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { findEnvironment } from '../../lookup/find-environment.ts'
import { findVersion } from '../../lookup/find-version.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

export const envArchiveCommand = (): Command =>
  archiveCommand('archive', 'archive an environment or one of its versions permanently')

/** There is no other deletion: the service retires images that nothing uses. */
export const envDeleteCommand = (): Command =>
  archiveCommand('delete', 'the same as archive: its images are deleted once nothing uses them')

const archiveCommand = (name: string, description: string): Command =>
  serviceCommand(name)
    .description(description)
    .argument('<environment>', 'name or id of the environment; ENVIRONMENT@VERSION is the version')
    .action((wanted: string, options: ConnectionOptions) =>
      withSession(options, async (session) => {
        const { client, report } = session
        if (wanted.includes('@')) {
          const { id: vid, environment_id: id } = await findVersion(session, wanted)
          const version = await client.call(allRoutes.archiveEnvironmentVersion, { params: { id, vid } })
          return report.result(`Archived version ${version.version_number}.\n`, version)
        }
        const { id } = await findEnvironment(session, wanted)
        const environment = await client.call(allRoutes.archiveEnvironment, { params: { id } })
        report.result(`Archived ${escapeControls(environment.name)}.\n`, environment)
      }),
    )
