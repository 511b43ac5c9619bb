import type { KeptVersion } from '@sandbox-jobs/contract/resources/environments/kept-version.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { bytesText } from '../../output/sizes.ts'
import { table } from '../../output/table.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

export const envUsageCommand = (): Command =>
  serviceCommand('usage')
    .description('show what environments keep on disk, and why, for managers of the company')
    .action((options: ConnectionOptions) =>
      withSession(options, async (session) => {
        const { items } = await session.client.call(allRoutes.listKeptVersions)
        const { kinds } = await session.client.call(allRoutes.readStorageUse)
        const ofBuilds = kinds.filter(({ kind }) => buildKinds.has(kind))
        const rows = ofBuilds.map(({ kind, bytes }) => [kind.replaceAll('_', ' '), bytesText(bytes)])
        session.report.result(`${table(['WHAT', 'KEPT'], rows)}\n${table(headings, items.map(rowOf))}`, {
          kinds: ofBuilds,
          items,
        })
      }),
    )

/** Kinds of kept bytes that environments and their builds make. */
const buildKinds = new Set(['images', 'archives', 'reports', 'build_logs', 'cached_layers', 'base_images'])

const headings = ['ENVIRONMENT', 'VERSION', 'STATE', 'IMAGE', 'ARCHIVE', 'KEPT BY']

const rowOf = (version: KeptVersion): string[] => [
  version.environment_name,
  String(version.version_number),
  version.state,
  version.image_bytes === 0 ? '' : bytesText(version.image_bytes),
  version.archive_bytes === 0 ? '' : bytesText(version.archive_bytes),
  version.kept_by.map((use) => useText(use, version)).join(', '),
]

function useText(use: KeptVersion['kept_by'][number], { tasks, removed_after }: KeptVersion): string {
  if (use === 'tasks') return `tasks: ${tasks.join(', ')}`
  if (use === 'runs') return 'runs that have not ended'
  if (use === 'environment') return 'the environment'
  return removed_after === null ? 'nothing' : `nothing, until ${removed_after.slice(0, 10)}`
}
