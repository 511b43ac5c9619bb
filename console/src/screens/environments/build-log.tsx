import type { BuildAttempt } from '@sandbox-jobs/contract/resources/builds/build-attempt.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { singleKeys } from '../../app/actions.ts'
import { useLinesOfAddress } from '../../app/use-lines-of-address.ts'
import { addressOf, api } from '../../data/api/api.ts'
import { type BuildParams, hasBuildEnded } from '../../data/authoring/environments.ts'
import { useStore } from '../../data/store.ts'
import { LogView } from '../../log/log-view.tsx'
import { LinkButton } from '../../parts/link-button.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './environments.module.css'

/** The text that the steps of the Dockerfile printed, while they run and afterwards. */
export default function BuildLog({ params, attempt }: { params: BuildParams; attempt: BuildAttempt }) {
  const t = useTexts()
  const lines = useLinesOfAddress()
  const hasSingleKeys = useStore(singleKeys)
  const isEnded = hasBuildEnded(attempt)
  const hasFailed = isEnded && attempt.status !== 'completed'
  return (
    <section className={styles.part}>
      <h2>{t.run.tabs.log}</h2>
      <div className={styles.log}>
        <LogView
          key={`${attempt.id} ${isEnded}`}
          label={t.run.tabs.log}
          source={
            isEnded
              ? {
                  kind: 'stored',
                  read: (_range, signal) => api.call(allRoutes.readBuildLog, { params, signal }),
                }
              : { kind: 'live', address: addressOf(allRoutes.followBuildLog, { params: { ...params } }) }
          }
          hasFailed={hasFailed}
          hasSingleKeys={hasSingleKeys}
          {...lines}
          actions={
            isEnded && (
              <LinkButton icon="download" href={addressOf(allRoutes.readBuildLog, { params: { ...params } })}>
                {t.run.downloadLog}
              </LinkButton>
            )
          }
        />
      </div>
    </section>
  )
}
