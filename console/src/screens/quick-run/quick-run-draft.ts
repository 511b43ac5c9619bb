import type { QuickRunRequest } from '@sandbox-jobs/contract/resources/runs/quick-run.ts'

/** A quick run as it is typed. */
export interface QuickRunDraft {
  name: string
  environmentVersion: string
  script: string
  /** JSON. */
  input: string
  /** Seconds. */
  timeout: string
}

export const emptyQuickRun: QuickRunDraft = {
  name: '',
  environmentVersion: '',
  script: '',
  input: '{}',
  timeout: '300',
}

export const bodyOf = (draft: QuickRunDraft): QuickRunRequest => ({
  name: draft.name,
  environment_version_id: draft.environmentVersion,
  work_script: draft.script,
  input: JSON.parse(draft.input) as unknown,
  timeout_seconds: Number(draft.timeout),
})
