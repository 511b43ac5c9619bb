import type { OperatedBuilds } from '@sandbox-jobs/contract/operator/operator-work.ts'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { Panel } from '../../parts/panel.tsx'
import { ToneBox } from '../../parts/tone-box.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import { useActRefusal } from '../act-dialog.tsx'
import { buildsOf } from '../operator-api.ts'
import { useOperatorTexts } from '../texts/operator-texts.tsx'
import { ResumeBuilds, StopBuilds } from './build-fence.tsx'
import { WorkPage } from './work-page.tsx'
import { WorkTable } from './work-table.tsx'

/** The builds that have not ended, by stage, and the fence that refuses new ones. */
export function BuildsPage() {
  const t = useOperatorTexts()
  const stages = useTexts().builds.names
  const { id: company } = useParams({ strict: false })
  const query = useQuery(buildsOf(company))
  return (
    <WorkPage title={t.work.builds} company={company} all="/builds" actions={<Fence state={query.data} />}>
      <Panel query={query} rows={8}>
        {({ refused_until, builds }) => (
          <>
            {refused_until !== null && <Refused until={refused_until} />}
            <WorkTable
              title={t.work.live}
              none={t.work.noBuilds}
              machine="build_attempt"
              id={t.work.build}
              list={builds}
              more={[
                {
                  name: t.work.stage,
                  show: ({ stage }) => stages[stage as keyof typeof stages] ?? stage,
                  isWide: true,
                },
              ]}
            />
          </>
        )}
      </Panel>
    </WorkPage>
  )
}

function Refused({ until }: { until: string }) {
  const t = useOperatorTexts().work
  const { dateTime } = useFormats()
  return (
    <ToneBox tone="warning" icon="warning">
      {t.refusedUntil(dateTime(new Date(until)))}
    </ToneBox>
  )
}

function Fence({ state }: { state: OperatedBuilds | undefined }) {
  const t = useOperatorTexts().work
  const disabledWhy = useActRefusal()
  const [open, setOpen] = useState<'stop' | 'resume' | undefined>()
  const close = () => setOpen(undefined)
  if (state === undefined) return null
  return (
    <>
      {state.refused_until !== null && (
        <Button icon="play" disabledWhy={disabledWhy} onPress={() => setOpen('resume')}>
          {t.resume}
        </Button>
      )}
      <Button icon="stop" disabledWhy={disabledWhy} onPress={() => setOpen('stop')}>
        {t.stop}
      </Button>
      {open === 'stop' && <StopBuilds onClose={close} />}
      {open === 'resume' && <ResumeBuilds onClose={close} />}
    </>
  )
}
