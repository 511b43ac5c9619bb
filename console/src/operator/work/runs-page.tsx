import type { OperatedRun } from '@sandbox-jobs/contract/operator/operator-work.ts'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { Panel } from '../../parts/panel.tsx'
import { runsOf } from '../operator-api.ts'
import { useOperatorTexts } from '../texts/operator-texts.tsx'
import { EmptyQueue, EndButton, EndRun } from './run-ends.tsx'
import { WorkPage } from './work-page.tsx'
import { WorkTable } from './work-table.tsx'

/** The runs that are at work and those that wait, with their companies and nothing of their content. */
export function RunsPage() {
  const t = useOperatorTexts()
  const { id: company } = useParams({ strict: false })
  const query = useQuery(runsOf(company))
  /** The run to end. Its dialog stays while the list is read again without it. */
  const [ending, setEnding] = useState<string>()
  const acts = {
    name: t.work.end,
    show: ({ id }: OperatedRun) => <EndButton id={id} onPress={() => setEnding(id)} />,
  }
  const both = { machine: 'run', id: t.overview.run, acts } as const
  return (
    <WorkPage
      title={t.work.runs}
      company={company}
      all="/runs"
      actions={company !== undefined && <EmptyQueue company={company} />}
    >
      <Panel query={query} rows={8}>
        {({ active, waiting }) => (
          <>
            <WorkTable {...both} title={t.overview.running} none={t.overview.noRuns} list={active} />
            <WorkTable {...both} title={t.overview.waitingRuns} none={t.work.noneWaits} list={waiting} />
          </>
        )}
      </Panel>
      {ending !== undefined && <EndRun id={ending} onClose={() => setEnding(undefined)} />}
    </WorkPage>
  )
}
