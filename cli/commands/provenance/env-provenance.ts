import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { findVersion } from '../../lookup/find-version.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

export const envProvenanceCommand = (): Command =>
  serviceCommand('provenance')
    .description('print the provenance of a version: what its image was built from, and how')
    .argument('<version>', 'ENVIRONMENT@VERSION, such as python@3')
    .addHelpText(
      'after',
      '\n--json prints the signed envelope. This command does not check the signature; sandbox verify does.',
    )
    .action((wanted: string, options: ConnectionOptions) =>
      withSession(options, async (session) => {
        const version = await findVersion(session, wanted)
        const params = { id: version.environment_id, vid: version.id }
        const envelope = await session.client.call(allRoutes.readProvenance, { params })
        const statement: unknown = JSON.parse(Buffer.from(envelope.payload, 'base64').toString('utf8'))
        session.report.result(`${JSON.stringify(statement, null, 2)}\n`, envelope)
      }),
    )
