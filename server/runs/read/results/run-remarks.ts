import {
  noOutput,
  type RunRemark,
  type RunRemarks,
} from '@sandbox-jobs/contract/resources/runs/run-remark.ts'
import type { Principal } from '../../../access/principal.ts'
import { type FindRunDeps, type RunAddress, requireReadableRun } from '../../lookup/readable-run.ts'
import { refusalText } from '../../results/artifact-refusal.ts'
import { findContent, type RunContentRow } from '../../results/run-content-store.ts'

/** Remarks about a run for whoever may read it. Throws `not_found`. */
export async function readRunRemarks(
  deps: FindRunDeps,
  principal: Principal,
  address: RunAddress,
): Promise<RunRemarks> {
  const run = await requireReadableRun(deps, principal, 'run.read', address)
  return { run_id: run.id, remarks: remarksOf(run, await findContent(deps.db, run)) }
}

/** Remarks from the stored facts, also after the content itself is deleted. A run that failed has no output as a rule. */
export function remarksOf(
  { state }: { state: string },
  content: Pick<RunContentRow, 'output_bytes' | 'refused_rule' | 'refused_path'> | undefined,
): RunRemark[] {
  if (!content) return []
  const { refused_rule: rule, refused_path: path } = content
  const remarks: RunRemark[] = []
  if (state === 'completed' && !content.output_bytes)
    remarks.push(noOutput(content.output_bytes === null ? 'absent' : 'empty'))
  if (rule !== null) {
    const message = `${refusalText({ rule, path })}.`
    remarks.push({ code: 'artifacts_refused', rule, path, message })
  }
  return remarks
}
