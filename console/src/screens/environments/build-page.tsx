import type { BuildAttempt } from '@sandbox-jobs/contract/resources/builds/build-attempt.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { keysOf, useAction } from '../../app/actions.ts'
import { useTrail } from '../../app/trail.ts'
import { api } from '../../data/api/api.ts'
import {
  type BuildParams,
  buildOf,
  environmentOf,
  environmentVersionOf,
  hasBuildEnded,
  useBuildEvents,
  useManagesEnvironment,
} from '../../data/authoring/environments.ts'
import { Button } from '../../parts/button.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Page } from '../../parts/page.tsx'
import { Panel, Skeleton } from '../../parts/panel.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { ToneBox } from '../../parts/tone-box.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { isNotFound } from '../not-found/is-not-found.ts'
import { NotFoundPage } from '../not-found/not-found-page.tsx'
import { BuildStages } from './build-stages.tsx'

const BuildLog = lazy(() => import('./build-log.tsx'))

/** A build while it goes on and afterwards: its stages, its log, and what to do when it failed. */
export function BuildPage() {
  const t = useTexts()
  const params = useParams({ from: '/signed-in/environments/$id/versions/$vid/builds/$aid' })
  const { id, vid } = params
  const build = useQuery(buildOf(params))
  const environment = useQuery(environmentOf(id))
  // For its number, which never changes.
  const version = useQuery({ ...environmentVersionOf(id, vid), refetchInterval: false })
  // Only a build that there is: a stream with a topic of another form has no events at all.
  useBuildEvents(params.aid, build.data !== undefined && !hasBuildEnded(build.data))
  const manages = useManagesEnvironment(environment.data)
  const name = environment.data?.name ?? ''
  const number = version.data?.version_number
  useTrail([
    { text: t.environments.title, to: '/environments' },
    { text: name, to: `/environments/${id}` },
    ...(number === undefined
      ? []
      : [{ text: t.environments.numbered(number), to: `/environments/${id}/versions/${vid}` }]),
  ])
  if (isNotFound(build.error)) return <NotFoundPage />
  const title = build.data ? t.environments.buildOf(build.data.attempt_number, name) : ''
  return (
    <Page
      title={title}
      detail={build.data && <StateBadge machine="build_attempt" state={build.data.status} />}
      actions={build.data && manages && !hasBuildEnded(build.data) && <CancelBuild params={params} />}
    >
      <Panel query={build} rows={6}>
        {(attempt) => (
          <>
            <Outcome attempt={attempt} />
            {manages && (
              <>
                <BuildStages params={params} hasEnded={hasBuildEnded(attempt)} />
                <Suspense fallback={<Skeleton rows={8} />}>
                  <BuildLog params={params} attempt={attempt} />
                </Suspense>
              </>
            )}
          </>
        )}
      </Panel>
    </Page>
  )
}

function Outcome({ attempt }: { attempt: BuildAttempt }) {
  if (attempt.next_action === '') return null
  const hasFailed = attempt.error_code !== ''
  if (!hasFailed) return <p lang="en">{attempt.next_action}</p>
  return (
    <ToneBox tone={attempt.terminal_class === 'platform_failed' ? 'platform' : 'danger'} icon="alert">
      <p lang="en">{attempt.next_action}</p>
      <p>
        <code>{attempt.error_code}</code> {attempt.error_detail !== '' && <code>{attempt.error_detail}</code>}
      </p>
    </ToneBox>
  )
}

function CancelBuild({ params }: { params: BuildParams }) {
  const t = useTexts()
  const queries = useQueryClient()
  const cancel = useMutation({
    mutationFn: () => api.call(allRoutes.cancelBuild, { params }),
    onSuccess: () => queries.invalidateQueries(buildOf(params)),
  })
  useAction('cancelRun', () => cancel.mutate())
  return (
    <>
      <Button
        icon="stop"
        keys={keysOf('cancelRun')}
        isBusy={cancel.isPending}
        onPress={() => cancel.mutate()}
      >
        {t.environments.cancelBuild}
      </Button>
      {cancel.error && <ErrorBox error={cancel.error} />}
    </>
  )
}
