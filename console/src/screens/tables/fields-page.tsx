import type { CustomTable } from '@sandbox-jobs/contract/resources/tables/custom-table.ts'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { DateTime } from '../../parts/date-time.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { IdText } from '../../parts/id-text.tsx'
import table from '../../parts/table.module.css'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import { AddFieldsDialog } from './add-fields-dialog.tsx'
import { TableActions } from './table-actions.tsx'
import { TableScreen } from './table-screen.tsx'

/** The fields of a table, and what else is set for it. */
export function FieldsPage() {
  const { id } = useParams({ from: '/signed-in/tables/$id/fields' })
  return (
    <TableScreen id={id} actions={(shown) => <AddFields table={shown} />}>
      {(shown) => (
        <>
          <FieldTable fields={shown.fields} />
          <TableFacts table={shown} />
          {shown.state === 'active' && <TableActions table={shown} />}
        </>
      )}
    </TableScreen>
  )
}

function AddFields({ table: shown }: { table: CustomTable }) {
  const t = useTexts().tables
  const [isAsked, setIsAsked] = useState(false)
  return (
    <>
      <Button icon="plus" onPress={() => setIsAsked(true)}>
        {t.addFields}
      </Button>
      {isAsked && <AddFieldsDialog table={shown} onClose={() => setIsAsked(false)} />}
    </>
  )
}

function FieldTable({ fields }: Pick<CustomTable, 'fields'>) {
  const t = useTexts().tables
  return (
    <table className={table.table}>
      <thead>
        <tr>
          <th scope="col">{t.field}</th>
          <th scope="col">{t.type}</th>
          <th scope="col">{t.required}</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ name, type, required }) => (
          <tr key={name}>
            <td>
              <code>{name}</code>
            </td>
            <td>{t.types[type]}</td>
            <td>{required ? t.yes : t.no}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function TableFacts({ table: shown }: { table: CustomTable }) {
  const t = useTexts()
  const formats = useFormats()
  return (
    <Facts>
      <Fact name={t.tables.owner}>{t.environments.owners[shown.owner_scope]}</Fact>
      <Fact name={t.tables.parts.rows}>{formats.number(shown.row_count)}</Fact>
      <Fact name={t.tables.changedBy}>
        {shown.commands_only ? t.tables.byCommandsOnly : t.tables.byEverybody}
      </Fact>
      <Fact name={t.tables.readBy}>{shown.channel_rule ? t.tables.byRooms : t.tables.byManagers}</Fact>
      <Fact name={t.company.since}>
        <DateTime at={shown.created_at} />
      </Fact>
      <Fact name={t.company.id}>
        <IdText id={shown.id} />
      </Fact>
    </Facts>
  )
}
