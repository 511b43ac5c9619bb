import type { ExtendedRun } from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useAction } from '../../app/actions.ts'
import { useTrail } from '../../app/trail.ts'
import { useRoom } from '../../data/rooms/rooms.ts'
import { nameOf } from '../../data/runs/names.ts'
import { useRunStates } from '../../data/runs/run-states.ts'
import { runOf, taskNameOf } from '../../data/runs/runs.ts'
import { IdText } from '../../parts/id-text.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { Panel, Skeleton } from '../../parts/panel.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { isNotFound } from '../not-found/is-not-found.ts'
import { NotFoundPage } from '../not-found/not-found-page.tsx'
import { Outcome } from './outcome.tsx'
import { RunActions } from './run-actions.tsx'
import { TabContent } from './tab-content.tsx'
import { firstTab, hasEnded, type RunTab, runTabs } from './tabs.ts'
import { Timeline } from './timeline.tsx'

const pollMs = 3000

/** A run: its state as it changes, and its parts. */
export function RunPage() {
  const { cid = '', rid = '' } = useParams({ strict: false })
  return <RunScreen key={rid} cid={cid} rid={rid} />
}

function RunScreen({ cid, rid }: { cid: string; rid: string }) {
  const t = useTexts()
  const { states, isFollowing } = useRunStates(cid, rid)
  const run = useQuery({
    ...runOf({ cid, rid }),
    refetchInterval: ({ state: { data } }) =>
      !isFollowing && data !== undefined && !hasEnded(data.status) ? pollMs : false,
  })
  const task = useQuery({ ...taskNameOf(cid, run.data?.task_id ?? ''), enabled: run.data !== undefined })
  const room = useRoom(cid)?.name ?? ''
  useTrail([
    { text: t.rooms.title, to: '/chatrooms' },
    { text: room, to: `/chatrooms/${cid}` },
    { text: t.runs.title, to: `/chatrooms/${cid}/runs` },
  ])
  if (isNotFound(run.error)) return <NotFoundPage />
  const name = task.data ?? ''
  return (
    <Page
      title={t.run.title(name)}
      heading={
        <>
          <TenantText text={name} />
          {run.data && <StateBadge machine="run" state={run.data.status} />}
        </>
      }
      detail={run.data && <Detail run={run.data} />}
      actions={run.data && <RunActions run={run.data} />}
    >
      {run.data === undefined && run.error === null && <Skeleton rows={6} />}
      {(run.data || run.error) && (
        <Panel query={run}>
          {(shown) => (
            <>
              <Timeline run={shown} states={states} />
              <Outcome run={shown} />
              <RunParts run={shown} />
            </>
          )}
        </Panel>
      )}
    </Page>
  )
}

function Detail({ run }: { run: ExtendedRun }) {
  const t = useTexts()
  const { data: name } = useQuery(nameOf(run.principal_id))
  return (
    <>
      <IdText id={run.id} />
      {run.queued_at && (
        <span>
          {t.run.queuedAt} <Moment at={run.queued_at} />
        </span>
      )}
      {name !== undefined && (
        <span>
          {t.run.by} <TenantText text={name} />
        </span>
      )}
      {run.retry_of_run_id !== '' && (
        <span>
          {t.run.retryOf}{' '}
          <Link to="/chatrooms/$cid/runs/$rid" params={{ cid: run.chatroom_id, rid: run.retry_of_run_id }}>
            <code>{run.retry_of_run_id.slice(-4)}</code>
          </Link>
        </span>
      )}
    </>
  )
}

function RunParts({ run }: { run: ExtendedRun }) {
  const t = useTexts()
  const navigate = useNavigate()
  const { tab } = useParams({ strict: false })
  const shown = runTabs.find((each) => each === tab) ?? firstTab(run.status)
  const params = { cid: run.chatroom_id, rid: run.id }
  const goTo = (at: number) => () => {
    const next: RunTab | undefined = runTabs[at]
    if (next) void navigate({ to: '/chatrooms/$cid/runs/$rid/$tab', params: { ...params, tab: next } })
  }
  useAction('tab1', goTo(0))
  useAction('tab2', goTo(1))
  useAction('tab3', goTo(2))
  useAction('tab4', goTo(3))
  useAction('tab5', goTo(4))
  useAction('tab6', goTo(5))
  return (
    <>
      <Tabs label={t.run.tabs.label}>
        {runTabs.map((each) => (
          <Link
            key={each}
            to="/chatrooms/$cid/runs/$rid/$tab"
            params={{ ...params, tab: each }}
            aria-current={each === shown ? 'page' : undefined}
          >
            {t.run.tabs[each]}
          </Link>
        ))}
      </Tabs>
      <TabContent tab={shown} run={run} />
    </>
  )
}
