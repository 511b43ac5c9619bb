import type { ExtendedRun } from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import type { TimedState } from '../../data/runs/run-states.ts'
import { lookOf } from '../../design/states.ts'
import { useNow } from '../../parts/now.ts'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import { spansOf } from './spans.ts'
import { hasEnded } from './tabs.ts'
import styles from './timeline.module.css'

const stepMs = 1000

/** One bar of the time that the run spent in each state, and below it why it waits. */
export function Timeline({ run, states }: { run: ExtendedRun; states: readonly TimedState[] }) {
  const t = useTexts()
  const formats = useFormats()
  const now = useNow(stepMs)
  const spans = spansOf(states, run.terminal_at, now)
  const words = spans.map(
    ({ status, ms }) => `${t.states[lookOf('run', status).word]} ${formats.duration(ms)}`,
  )
  return (
    <section className={styles.part} aria-label={t.run.timeline}>
      {spans.length > 0 && (
        <ol className={styles.bar}>
          {spans.map(({ status, ms }, at) => (
            <li key={status} style={{ flexGrow: ms }} data-tone={lookOf('run', status).tone}>
              <span>{words[at]}</span>
            </li>
          ))}
        </ol>
      )}
      {!hasEnded(run.status) && <Wait run={run} />}
    </section>
  )
}

function Wait({ run }: { run: ExtendedRun }) {
  const t = useTexts()
  const formats = useFormats()
  if (run.next_action === '') return null
  return (
    <p className={styles.wait}>
      <span lang="en">{run.next_action}</span>{' '}
      {run.queue_position !== null && t.run.place(run.queue_position)}{' '}
      {run.eta_seconds !== null && t.run.startsIn(formats.duration(run.eta_seconds * 1000))}
    </p>
  )
}
