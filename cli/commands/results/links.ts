import type { RunLink } from '@sandbox-jobs/contract/resources/runs/signed-link.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { type Command, Option } from 'commander'
import { runRoomOption } from '../../args/room-option.ts'
import { serviceCommand } from '../../args/service-command.ts'
import { wholeNumber } from '../../args/whole-number.ts'
import { CliError } from '../../failure.ts'
import { allPages } from '../../lookup/all-pages.ts'
import { findRun } from '../../lookup/find-run.ts'
import { table } from '../../output/table.ts'
import { listArtifacts } from '../../runs/list-artifacts.ts'
import type { RunReference } from '../../runs/watch-run.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { type Session, withSession } from '../../session/session.ts'

interface Options extends ConnectionOptions {
  room?: string
  share?: boolean
  expires?: number
  list?: boolean
  revoke?: string
}

interface Link {
  what: string
  url: string
}

export const linksCommand = (): Command =>
  serviceCommand('links')
    .description('create public links to the results of a run, list them, and revoke them')
    .argument('<run>', 'id of the run')
    .addOption(runRoomOption())
    .option('--share', 'create an expiring link to a page of the result, for people')
    .addOption(
      new Option('--expires <seconds>', 'seconds until the link expires; implies --share')
        .argParser(wholeNumber)
        .implies({ share: true }),
    )
    .addOption(new Option('--list', 'list the live links of the run').conflicts(['share', 'revoke']))
    .addOption(new Option('--revoke <link>', 'revoke a link by its id, or all').conflicts(['share']))
    .addHelpText(
      'after',
      '\nWithout an option it creates permanent links to the log, the output and the artifacts.' +
        '\nWhoever has a link can read its file without a login.',
    )
    .action((wanted: string, options: Options) =>
      withSession(options, async (session) => {
        const reference = await findRun(session, wanted, options.room)
        if (options.revoke !== undefined) await revoke(session, reference, options.revoke)
        else if (options.list) await list(session, reference)
        else if (options.share) await share(session, reference, options.expires)
        else await create(session, reference)
      }),
    )

async function create(session: Session, place: RunReference): Promise<void> {
  const links = await mintLinks(session, place)
  const rows = links.map(({ what, url }) => [what, url])
  const text =
    rows.length === 0 ? `${place.rid} has no log, output or artifacts yet.\n` : table(['WHAT', 'LINK'], rows)
  session.report.result(text, { run_id: place.rid, links })
}

async function mintLinks(session: Session, place: RunReference): Promise<Link[]> {
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

async function share(
  { client, report }: Session,
  place: RunReference,
  seconds: number | undefined,
): Promise<void> {
  const expiry = seconds === undefined ? {} : { expires_in_seconds: seconds }
  const body = { purpose: 'share' as const, ...expiry }
  const link = await client.call(allRoutes.createSignedLink, { params: place, body })
  report.result(`${link.url}\n`, link)
}

const liveLinks = ({ client }: Session, place: RunReference): Promise<RunLink[]> =>
  allPages((query) => client.call(allRoutes.listRunLinks, { params: place, query }))

async function list(session: Session, place: RunReference): Promise<void> {
  const items = await liveLinks(session, place)
  const rows = items.map((link) => [
    link.id,
    link.purpose,
    link.artifact_id ?? link.object_kind,
    link.expires_at ?? 'never',
    link.url,
  ])
  const text =
    rows.length === 0
      ? `${place.rid} has no links.\n`
      : table(['ID', 'PURPOSE', 'WHAT', 'EXPIRES', 'LINK'], rows)
  session.report.result(text, { run_id: place.rid, items })
}

async function revoke(session: Session, place: RunReference, wanted: string): Promise<void> {
  const live = await liveLinks(session, place)
  const chosen = wanted === 'all' ? live : live.filter(({ id }) => id === wanted)
  if (wanted !== 'all' && chosen.length === 0) {
    throw new CliError(`${place.rid} has no live link ${wanted}.`, {
      hint: `sandbox links ${place.rid} --list shows its links.`,
      code: 'cli_unknown_name',
    })
  }
  const revoked: string[] = []
  for (const { id } of chosen) {
    await session.client.call(allRoutes.revokeRunLink, { params: { ...place, lid: id } })
    revoked.push(id)
  }
  const count = `${revoked.length} ${revoked.length === 1 ? 'link' : 'links'}`
  session.report.result(`revoked ${count}\n`, { run_id: place.rid, revoked })
}
