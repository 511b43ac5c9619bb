import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import type { CustomTable } from '@sandbox-jobs/contract/resources/tables/custom-table.ts'
import type { TableRow } from '@sandbox-jobs/contract/resources/tables/table-row.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { RowSearch } from '../../data/authoring/tables.ts'
import { ownRooms } from '../../data/rooms/rooms.ts'
import { TenantText } from '../../parts/tenant-text.tsx'
import { TextGrid } from '../../parts/text-grid.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import { useCellText } from './cell-text.ts'
import { nextSort, orderOf } from './row-search.ts'

interface Props {
  table: CustomTable
  rows: readonly TableRow[]
  /** The first page, by which columns get their width. */
  measured: readonly TableRow[]
  search: RowSearch
  onSort: (sort: string | undefined) => void
  onWindow: (first: number, end: number) => void
}

/** Rows with a column for each field. The first cell opens its row. */
export function RowGrid({ table, rows, measured, search, onSort, onWindow }: Props) {
  const t = useTexts().tables
  const formats = useFormats()
  const cellText = useCellText()
  const { data: rooms = [] } = useQuery({ ...ownRooms, enabled: table.channel_rule })
  const roomName = (id: string | null) => rooms.find((room) => room.id === id)?.name ?? id ?? ''
  const sortBy = (name: string) => ({
    order: orderOf(search.sort, name),
    onPress: () => onSort(nextSort(search.sort, name)),
  })
  return (
    <TextGrid
      label={plainText(table.name)}
      rows={rows}
      measured={measured}
      onWindow={onWindow}
      columns={[
        ...table.fields.map(({ name, type }, at) => {
          const text = ({ values }: TableRow) => cellText(values[name], type)
          return {
            name,
            text,
            ...(type !== 'json' && { sort: sortBy(name) }),
            ...(at === 0 && {
              cell: (row: TableRow) => (
                <Link to="." search={{ ...search, row: row.id }}>
                  <TenantText text={text(row) || t.noValue} />
                </Link>
              ),
            }),
          }
        }),
        ...(table.channel_rule
          ? [{ name: t.room, text: ({ chatroom_id }: TableRow) => roomName(chatroom_id) }]
          : []),
        {
          name: t.updatedAt,
          text: ({ updated_at }) => formats.dateTime(new Date(updated_at)),
          sort: sortBy('updated_at'),
        },
      ]}
    />
  )
}
