import type { TableTrigger } from '@sandbox-jobs/contract/resources/tables/table-trigger.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { api } from '../../data/api/api.ts'
import { readTriggersAgain, triggerOf } from '../../data/authoring/tables.ts'
import { useRoom } from '../../data/rooms/rooms.ts'
import { nameOf } from '../../data/runs/names.ts'
import links from '../../parts/button.module.css'
import { Fact, Facts } from '../../parts/facts.tsx'
import { FinalAct } from '../../parts/final-act.tsx'
import { IdText } from '../../parts/id-text.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Panel } from '../../parts/panel.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { TextBlock } from '../../parts/text-block.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import { isNotFound } from '../not-found/is-not-found.ts'
import { NotFoundPage } from '../not-found/not-found-page.tsx'
import { TableScreen } from '../tables/table-screen.tsx'
import { TriggerEvents } from './trigger-events.tsx'

/** A trigger with its events: the run of each, or why there is none. */
export function TriggerPage() {
  const t = useTexts().tables
  const { id, tid } = useParams({ from: '/signed-in/tables/$id/triggers/$tid' })
  const trigger = useQuery(triggerOf(tid))
  if (isNotFound(trigger.error)) return <NotFoundPage />
  return (
    <TableScreen
      id={id}
      title={trigger.data?.name ?? ''}
      parent="triggers"
      actions={() =>
        trigger.data?.state === 'active' && (
          <>
            <Link to="/tables/$id/triggers/$tid/edit" params={{ id, tid }} className={links.button}>
              {t.change}
            </Link>
            <ArchiveTrigger trigger={trigger.data} />
          </>
        )
      }
    >
      {() => (
        <Panel query={trigger} rows={6}>
          {(shown) => (
            <>
              <TriggerFacts trigger={shown} />
              <TriggerEvents trigger={shown} />
            </>
          )}
        </Panel>
      )}
    </TableScreen>
  )
}

function TriggerFacts({ trigger }: { trigger: TableTrigger }) {
  const t = useTexts()
  const formats = useFormats()
  const room = useRoom(trigger.chatroom_id)
  const { data: person } = useQuery(nameOf(trigger.run_as))
  const { description, events, timeout_seconds, last_error_code, last_refused_at } = trigger
  return (
    <>
      <Facts>
        <Fact name={t.tables.state}>
          <StateBadge machine="table_trigger" state={trigger.state} />
        </Fact>
        <Fact name={t.environments.description}>
          {description !== '' && <TenantText text={description} />}
        </Fact>
        <Fact name={t.tables.startsAt}>{events.map((kind) => t.tables.eventKinds[kind]).join(', ')}</Fact>
        <Fact name={t.tables.room}>
          {room ? <TenantText text={room.name} /> : <IdText id={trigger.chatroom_id} />}
        </Fact>
        <Fact name={t.tables.version}>
          <IdText id={trigger.task_version_id} />
        </Fact>
        <Fact name={t.tables.runsAs}>
          {person === undefined ? <IdText id={trigger.run_as} /> : <TenantText text={person} />}
        </Fact>
        <Fact name={t.form.timeout}>
          {timeout_seconds !== null && formats.duration(timeout_seconds * 1000)}
        </Fact>
        <Fact name={t.tables.lastRefused}>
          {last_error_code !== null && last_refused_at !== null && (
            <>
              <code>{last_error_code}</code> <Moment at={last_refused_at} />
            </>
          )}
        </Fact>
      </Facts>
      <h2>{t.tables.template}</h2>
      <TextBlock label={t.tables.template} text={JSON.stringify(trigger.input_template, null, 2)} />
    </>
  )
}

function ArchiveTrigger({ trigger: { id, name } }: { trigger: TableTrigger }) {
  const t = useTexts().tables
  const queries = useQueryClient()
  return (
    <FinalAct
      icon="archive"
      act={t.archive}
      title={t.archiveNamed(name)}
      why={t.archiveTriggerWhy}
      run={() => api.call(allRoutes.archiveTableTrigger, { params: { id } })}
      onDone={() => readTriggersAgain(queries)}
    />
  )
}
