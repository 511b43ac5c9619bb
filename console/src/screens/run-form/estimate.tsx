import type { RunEstimate } from '@sandbox-jobs/contract/resources/runs/run-estimate.ts'
import type { UseQueryResult } from '@tanstack/react-query'
import { Panel } from '../../parts/panel.tsx'
import { Refusals } from '../../parts/refusals.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import { estimateLines } from './estimate-lines.ts'
import styles from './run-form.module.css'

/** Price and wait of the run, or the reason for which it would be refused. */
export function Estimate({ query }: { query: UseQueryResult<RunEstimate> }) {
  const t = useTexts()
  return (
    <section className={styles.estimate} aria-label={t.estimate.title} aria-live="polite">
      <Panel query={query} rows={1}>
        {(estimate) => <Shown estimate={estimate} />}
      </Panel>
    </section>
  )
}

function Shown({ estimate }: { estimate: RunEstimate }) {
  const t = useTexts()
  const formats = useFormats()
  const lines = estimateLines(estimate, t.estimate, formats)
  return (
    <>
      {lines.length > 0 && (
        <ul className={styles.facts}>
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      <Refusals refusals={estimate.refusals} />
    </>
  )
}
