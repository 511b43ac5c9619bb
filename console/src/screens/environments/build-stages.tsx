import type { BuildDetails } from '@sandbox-jobs/contract/resources/builds/build-details.ts'
import { useQuery } from '@tanstack/react-query'
import { type BuildParams, buildDetailsOf } from '../../data/authoring/environments.ts'
import type { IconName } from '../../design/icon.tsx'
import { Icon } from '../../design/icon.tsx'
import type { Tone } from '../../design/states.ts'
import { useNow } from '../../parts/now.ts'
import { Panel } from '../../parts/panel.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import { BuildNetworkList } from './build-network-list.tsx'
import styles from './environments.module.css'

type Stage = BuildDetails['stages'][number]

const looks: Readonly<Record<NonNullable<Stage['outcome']> | 'running', { icon: IconName; tone: Tone }>> = {
  running: { icon: 'play', tone: 'accent' },
  completed: { icon: 'done', tone: 'success' },
  failed: { icon: 'failed', tone: 'danger' },
  cancelled: { icon: 'cancelled', tone: 'soft' },
  interrupted: { icon: 'retry', tone: 'warning' },
}

const stepMs = 1000

/** The stages of a build in their order, with their time; the failed instruction, and what the steps reached on the network. */
export function BuildStages({ params, hasEnded }: { params: BuildParams; hasEnded: boolean }) {
  const t = useTexts()
  const details = useQuery(buildDetailsOf(params, hasEnded))
  return (
    <section className={styles.part}>
      <h2>{t.builds.stages}</h2>
      <Panel query={details} rows={4} empty={({ stages }) => stages.length === 0 && t.builds.notStarted}>
        {({ stages, failed_instruction, network }) => (
          <>
            <ol className={styles.stages}>
              {stages.map((stage) => (
                <StageRow key={stage.stage} stage={stage} />
              ))}
            </ol>
            {failed_instruction && <FailedInstruction failed={failed_instruction} />}
            {network && <BuildNetworkList network={network} />}
          </>
        )}
      </Panel>
    </section>
  )
}

function StageRow({ stage }: { stage: Stage }) {
  const t = useTexts()
  const formats = useFormats()
  const now = useNow(stepMs)
  const outcome = stage.outcome ?? 'running'
  const { icon, tone } = looks[outcome]
  const ms = stage.duration_ms ?? Math.max(0, now - Date.parse(stage.started_at))
  return (
    <li>
      <span className={styles.stage} data-tone={tone}>
        <Icon name={icon} />
        {t.builds.names[stage.stage]}
      </span>
      <span>{t.builds.outcomes[outcome]}</span>
      <span className={styles.time}>{formats.duration(ms)}</span>
      {stage.passes > 1 && <span>{t.builds.passes(stage.passes)}</span>}
    </li>
  )
}

function FailedInstruction({ failed }: { failed: NonNullable<BuildDetails['failed_instruction']> }) {
  const t = useTexts()
  return (
    <div>
      <p>{t.builds.failedLine(failed.line)}</p>
      <pre className={styles.instruction}>
        <TenantText text={failed.text} />
      </pre>
    </div>
  )
}
