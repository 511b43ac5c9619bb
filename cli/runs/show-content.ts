import { logMaxBytes, outputMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import type { PublicLink } from '@sandbox-jobs/contract/resources/public-link.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { CliError } from '../failure.ts'
import type { Session } from '../session/session.ts'
import { download, showBytes, textOf } from './download.ts'
import type { RunPlace } from './watch-run.ts'

export type ContentKind = 'log' | 'output'

const kinds = {
  log: { mint: allRoutes.mintLogLink, flag: 'has_log', maxBytes: logMaxBytes + 64 * 1024 },
  output: { mint: allRoutes.mintOutputLink, flag: 'has_output', maxBytes: outputMaxBytes },
} as const

/** Shows log or output of a run through its public link, which is made when there is none. */
export async function showContent(session: Session, place: RunPlace, kind: ContentKind): Promise<void> {
  const { client, report } = session
  const { mint, flag, maxBytes } = kinds[kind]
  const content = await client.call(allRoutes.readRunContent, { params: place })
  if (!content[flag]) throw nothingThere(kind, place.rid)
  const link: PublicLink = await client.call(mint, { params: place })
  const bytes = await download(session, link.token)
  if (!report.json) return showBytes(bytes)
  report.result('', { run_id: place.rid, url: link.url, [kind]: await textOf(bytes, maxBytes) })
}

const nothingThere = (kind: string, run: string) =>
  new CliError(`${run} has left no ${kind}.`, {
    hint: `A run has one when it has ended${kind === 'output' ? ' and wrote the file that SERVICE_OUTPUT_FILE names' : ''}; look with sandbox runs.`,
    code: 'cli_no_content',
  })
