import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { api } from '../../data/api/api.ts'
import { ownRooms } from '../../data/rooms/rooms.ts'
import { Panel } from '../../parts/panel.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { TableScreen } from '../tables/table-screen.tsx'
import { newTrigger } from './trigger-draft.ts'
import { TriggerForm } from './trigger-form.tsx'

/** A new trigger of a table. */
export function NewTriggerPage() {
  const t = useTexts()
  const { id } = useParams({ from: '/signed-in/tables/$id/triggers/new' })
  const rooms = useQuery(ownRooms)
  return (
    <TableScreen id={id} title={t.tables.newTrigger} parent="triggers">
      {({ fields }) => (
        <Panel query={rooms} rows={6} empty={(items) => items.length === 0 && t.tables.noRooms}>
          {(items) => (
            <TriggerForm
              rooms={items}
              startsWith={newTrigger(fields, items[0]?.id ?? '')}
              act={t.tables.newTrigger}
              save={(body) => api.call(allRoutes.createTableTrigger, { params: { id }, body })}
            />
          )}
        </Panel>
      )}
    </TableScreen>
  )
}
