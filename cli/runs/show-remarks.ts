import type { RunRemark } from '@sandbox-jobs/contract/resources/runs/run-remark.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { escapeControls } from '../output/escape-controls.ts'
import type { Session } from '../session/session.ts'
import type { RunReference } from './watch-run.ts'

/** Shows what the author of a run that has ended should know, such as that it wrote no output, and returns it. */
export async function showRemarks({ client, report }: Session, place: RunReference): Promise<RunRemark[]> {
  const { remarks } = await client.call(allRoutes.readRunRemarks, { params: place })
  for (const remark of remarks) report.event(escapeControls(remark.message), { event: 'remark', remark })
  return remarks
}
