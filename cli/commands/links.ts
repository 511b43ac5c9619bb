import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { runRoomOption } from '../args/room-option.ts'
import { serviceCommand } from '../args/service-command.ts'
import { findRun } from '../lookup/find-run.ts'
import { table } from '../output/table.ts'
import { listArtifacts } from '../runs/list-artifacts.ts'
import type { RunPlace } from '../runs/watch-run.ts'
import type { ConnectionOptions } from '../session/connection.ts'
import { type Session, withSession } from '../session/session.ts'

interface Options extends ConnectionOptions {
  room?: string
}

interface Link {
  what: string
  url: string
}

export const linksCommand = (): Command =>
  serviceCommand('links')
    .description('make and print the public links of a run: log, output and artifacts')
    .argument('<run>', 'id of the run')
    .addOption(runRoomOption())
    .addHelpText('after', '\nWhoever has such a link can read the file without a login.')
    .action((wanted: string, options: Options) =>
      withSession(options, async (session) => {
        const links = await mintLinks(session, await findRun(session, wanted, options.room))
        const rows = links.map(({ what, url }) => [what, url])
        const text = rows.length === 0 ? `${wanted} has left nothing yet.\n` : table(['WHAT', 'LINK'], rows)
        session.report.result(text, { run_id: wanted, links })
      }),
    )

async function mintLinks(session: Session, place: RunPlace): Promise<Link[]> {
  const { client } = session
  const links: Link[] = []
  const content = await client.call(allRoutes.readRunContent, { params: place })
  if (content.has_log) {
    links.push({ what: 'log', url: (await client.call(allRoutes.mintLogLink, { params: place })).url })
  }
  if (content.has_output) {
    links.push({ what: 'output', url: (await client.call(allRoutes.mintOutputLink, { params: place })).url })
  }
  for (const { id } of await listArtifacts(session, place)) {
    const link = await client.call(allRoutes.mintArtifactLink, { params: { ...place, aid: id } })
    links.push({ what: `artifact ${link.relative_path}`, url: link.url })
  }
  return links
}
