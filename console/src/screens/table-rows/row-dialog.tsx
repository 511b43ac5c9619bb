import type { CustomTable } from '@sandbox-jobs/contract/resources/tables/custom-table.ts'
import type { TableRow } from '@sandbox-jobs/contract/resources/tables/table-row.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../data/api/api.ts'
import { readRowsAgain, rowOf } from '../../data/authoring/tables.ts'
import { DateTime } from '../../parts/date-time.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { FinalAct } from '../../parts/final-act.tsx'
import { IdText } from '../../parts/id-text.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { isNotFound } from '../not-found/is-not-found.ts'
import { ChangeRowForm } from './change-row-form.tsx'
import { NewRowForm } from './new-row-form.tsx'
import { RowFacts } from './row-facts.tsx'

interface Props {
  table: CustomTable
  /** The identifier of a row, or `new`. */
  rid: string
  onClose: () => void
}

/** A row, or a new one. */
export function RowDialog({ table, rid, onClose }: Props) {
  const t = useTexts().tables
  const canWrite = table.state === 'active' && !table.commands_only
  const isNew = rid === 'new'
  return (
    <Dialog title={isNew ? t.newRow : t.row} onClose={onClose}>
      {isNew ? (
        canWrite && <NewRowForm table={table} onMade={onClose} />
      ) : (
        <StoredRow table={table} rid={rid} canWrite={canWrite} onClose={onClose} />
      )}
    </Dialog>
  )
}

function StoredRow({ table, rid, canWrite, onClose }: Props & { canWrite: boolean }) {
  const t = useTexts().tables
  const row = useQuery({ ...rowOf(table.id, rid), refetchOnWindowFocus: false })
  if (isNotFound(row.error)) return <p>{t.rowIsGone}</p>
  return (
    <Panel query={row} rows={table.fields.length}>
      {(shown) => (
        <>
          {canWrite ? (
            <ChangeRowForm table={table} row={shown} onChanged={onClose} />
          ) : (
            <RowFacts fields={table.fields} values={shown.values} />
          )}
          <OwnFacts row={shown} />
          {canWrite && (
            <div>
              <DeleteRow row={shown} onDeleted={onClose} />
            </div>
          )}
        </>
      )}
    </Panel>
  )
}

function DeleteRow({ row: { id: rid, table_id }, onDeleted }: { row: TableRow; onDeleted: () => void }) {
  const t = useTexts().tables
  const queries = useQueryClient()
  return (
    <FinalAct
      icon="trash"
      act={t.deleteRow}
      title={t.deleteRow}
      why={t.deleteRowWhy}
      run={() => api.call(allRoutes.deleteRow, { params: { id: table_id, rid } })}
      onDone={async () => {
        await readRowsAgain(queries)
        onDeleted()
      }}
    />
  )
}

/** The parts of every row. */
function OwnFacts({ row: { id, chatroom_id, created_at, updated_at } }: { row: TableRow }) {
  const t = useTexts()
  return (
    <Facts>
      <Fact name={t.tables.room}>{chatroom_id !== null && <IdText id={chatroom_id} />}</Fact>
      <Fact name={t.company.since}>
        <DateTime at={created_at} />
      </Fact>
      <Fact name={t.tables.updatedAt}>
        <DateTime at={updated_at} />
      </Fact>
      <Fact name={t.company.id}>
        <IdText id={id} />
      </Fact>
    </Facts>
  )
}
