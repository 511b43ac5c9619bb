import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { api } from '../../data/api/api.ts'
import { triggerOf } from '../../data/authoring/tables.ts'
import { ownRooms } from '../../data/rooms/rooms.ts'
import { Panel } from '../../parts/panel.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { isNotFound } from '../not-found/is-not-found.ts'
import { NotFoundPage } from '../not-found/not-found-page.tsx'
import { TableScreen } from '../tables/table-screen.tsx'
import { draftOfTrigger } from './trigger-draft.ts'
import { TriggerForm } from './trigger-form.tsx'

/** A trigger that is changed. Its later runs are those of the person who changes it. */
export function ChangeTriggerPage() {
  const t = useTexts().tables
  const { id, tid } = useParams({ from: '/signed-in/tables/$id/triggers/$tid/edit' })
  const rooms = useQuery(ownRooms)
  const trigger = useQuery(triggerOf(tid))
  if (isNotFound(trigger.error)) return <NotFoundPage />
  return (
    <TableScreen id={id} title={trigger.data?.name ?? ''} parent="triggers">
      {() => (
        <Panel query={trigger} rows={6}>
          {(shown) => (
            <>
              <p>{t.changeTriggerWhy}</p>
              <Panel query={rooms} rows={6}>
                {(items) => (
                  <TriggerForm
                    rooms={items}
                    startsWith={draftOfTrigger(shown)}
                    act={t.save}
                    save={(body) => api.call(allRoutes.updateTableTrigger, { params: { id: tid }, body })}
                  />
                )}
              </Panel>
            </>
          )}
        </Panel>
      )}
    </TableScreen>
  )
}
