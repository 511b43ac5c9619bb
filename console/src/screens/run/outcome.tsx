import type { ExtendedRun } from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import { lookOf } from '../../design/states.ts'
import { ToneBox } from '../../parts/tone-box.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './outcome.module.css'

/** The side that has to act after a failure. */
function actorOf(run: ExtendedRun): 'platform' | 'policy' | 'tenant' {
  if (run.status === 'platform_failed') return 'platform'
  return run.failure_source === 'policy' ? 'policy' : 'tenant'
}

/** Why a run ended badly, and what to do about it. */
export function Outcome({ run }: { run: ExtendedRun }) {
  const t = useTexts()
  if (run.error_code === '' || run.status === 'cancelled') return null
  const { tone, icon } = lookOf('run', run.status)
  return (
    <ToneBox tone={tone} icon={icon}>
      <p className={styles.what}>{t.run.sources[actorOf(run)]}</p>
      {run.failure_hint !== '' && <p lang="en">{run.failure_hint}</p>}
      <p className={styles.detail}>
        <code>{run.error_code}</code>
        {run.exit_code !== null && <span>{t.run.exitCode(run.exit_code)}</span>}
        {run.error_detail !== '' && run.error_detail !== `exit_code=${run.exit_code}` && (
          <code>{run.error_detail}</code>
        )}
      </p>
    </ToneBox>
  )
}
