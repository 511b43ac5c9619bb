import type { ExtendedRun } from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useQuery } from '@tanstack/react-query'
import { addressOf } from '../../data/api/api.ts'
import { readOutput } from '../../data/runs/run-output.ts'
import { LinkButton } from '../../parts/link-button.tsx'
import { Panel } from '../../parts/panel.tsx'
import { OutputView } from '../../results/output-view.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import { Remarks } from './remarks.tsx'
import styles from './result-tab.module.css'
import { hasEnded } from './tabs.ts'

/** The output of the run. */
export default function ResultTab({ run }: { run: ExtendedRun }) {
  const t = useTexts()
  if (!hasEnded(run.status)) return <p className={styles.none}>{t.run.notEnded}</p>
  return (
    <div className={styles.part}>
      <Remarks run={run} />
      <Output run={run} />
    </div>
  )
}

function Output({ run }: { run: ExtendedRun }) {
  const t = useTexts()
  const formats = useFormats()
  const params = { cid: run.chatroom_id, rid: run.id }
  const output = useQuery(readOutput(params))
  return (
    <Panel query={output} empty={(found) => found.kind === 'none' && t.run.noOutput}>
      {(found) => (
        <>
          <div>
            <LinkButton icon="download" href={addressOf(allRoutes.readRunOutput, { params })}>
              {t.run.downloadOutput}
            </LinkButton>
          </div>
          {found.kind === 'value' && <OutputView value={found.value} />}
          {found.kind === 'large' && <p>{t.run.outputTooLarge(formats.bytes(found.bytes))}</p>}
        </>
      )}
    </Panel>
  )
}
