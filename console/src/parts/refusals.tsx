import type { RunEstimate } from '@sandbox-jobs/contract/resources/runs/run-estimate.ts'
import { useTexts } from '../texts/texts.tsx'
import { ToneBox } from './tone-box.tsx'

/** The reasons for which a run would be refused now. */
export function Refusals({ refusals }: Pick<RunEstimate, 'refusals'>) {
  const t = useTexts()
  return refusals.map(({ code, message }) => (
    <ToneBox key={code} tone="warning" icon="alert">
      <p>{t.estimate.refused}</p>
      {/* The service speaks English. */}
      <p lang="en">{message}</p>
    </ToneBox>
  ))
}
