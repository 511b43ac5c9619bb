import { logMaxBytes, outputMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { CliError } from '../failure.ts'
import type { Session } from '../session/session.ts'
import { bodyOf, showBytes, textOf } from './download.ts'
import type { RunReference } from './watch-run.ts'

export type ContentKind = 'log' | 'output'

const kinds = {
  log: { route: allRoutes.readRunLog, flag: 'has_log', maxBytes: logMaxBytes + 64 * 1024 },
  output: { route: allRoutes.readRunOutput, flag: 'has_output', maxBytes: outputMaxBytes },
} as const

/** Prints log or output of a run. */
export async function showContent(session: Session, place: RunReference, kind: ContentKind): Promise<void> {
  const { client, report } = session
  const { route, flag, maxBytes } = kinds[kind]
  const content = await client.call(allRoutes.readRunContent, { params: place })
  if (!content[flag]) throw nothingThere(kind, place.rid)
  const bytes = bodyOf(await client.call(route, { params: place }))
  if (report.json) report.result('', { run_id: place.rid, [kind]: await textOf(bytes, maxBytes) })
  else await showBytes(bytes, report.lineLeftOpen)
}

const nothingThere = (kind: string, run: string) =>
  new CliError(`${run} has no ${kind}.`, {
    hint: `A run has one when it has ended${kind === 'output' ? ' and wrote the file that SERVICE_OUTPUT_FILE names' : ''}; sandbox runs shows its state.`,
    code: 'cli_no_content',
  })
