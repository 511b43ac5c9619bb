import type { ExtendedRun } from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { singleKeys } from '../../app/actions.ts'
import { useLinesOfAddress } from '../../app/use-lines-of-address.ts'
import { addressOf, api } from '../../data/api/api.ts'
import { useStore } from '../../data/store.ts'
import type { LogSource } from '../../log/log-source.ts'
import { LogView } from '../../log/log-view.tsx'
import { LinkButton } from '../../parts/link-button.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './log-tab.module.css'
import { hasEnded } from './tabs.ts'

/** The log of the run, while it is written and afterwards. */
export default function LogTab({ run }: { run: ExtendedRun }) {
  const t = useTexts().run
  const lines = useLinesOfAddress()
  const hasSingleKeys = useStore(singleKeys)
  const params = { cid: run.chatroom_id, rid: run.id }
  const isEnded = hasEnded(run.status)
  const hasFailed = isEnded && run.status !== 'completed'
  return (
    <div className={styles.log}>
      <LogView
        key={`${run.id} ${isEnded}`}
        label={t.tabs.log}
        source={
          isEnded
            ? storedLog(params)
            : { kind: 'live', address: addressOf(allRoutes.followRunLog, { params }) }
        }
        startsAtEnd={hasFailed}
        hasFailed={hasFailed}
        hasSingleKeys={hasSingleKeys}
        {...lines}
        actions={
          isEnded && (
            <LinkButton icon="download" href={addressOf(allRoutes.readRunLog, { params })}>
              {t.downloadLog}
            </LinkButton>
          )
        }
      />
    </div>
  )
}

const storedLog = (params: { cid: string; rid: string }): LogSource => ({
  kind: 'stored',
  read: ({ tail }, signal) =>
    api.call(allRoutes.readRunLog, { params, query: tail === undefined ? {} : { tail }, signal }),
})
