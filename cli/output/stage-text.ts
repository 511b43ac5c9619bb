import type { BuildStageRecord } from '@sandbox-jobs/contract/resources/builds/build-details.ts'
import { durationText } from './sizes.ts'
import { table } from './table.ts'

/** The stages of a build after an empty line; empty if there are none yet. */
export function stageText(stages: BuildStageRecord[]): string {
  if (stages.length === 0) return ''
  return `\n${table(['STAGE', 'OUTCOME', 'STARTED', 'TOOK', 'PASSES'], stages.map(rowOf))}`
}

const rowOf = ({ stage, outcome, started_at, duration_ms, passes }: BuildStageRecord): string[] => [
  stage,
  outcome ?? 'under way',
  started_at,
  duration_ms === null ? '' : durationText(duration_ms),
  passes === 1 ? '' : String(passes),
]
