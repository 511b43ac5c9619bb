import type { CustomTable } from '@sandbox-jobs/contract/resources/tables/custom-table.ts'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { readRowsAgain, rowsFile, rowsOf } from '../../data/authoring/tables.ts'
import { present } from '../../data/search-values.ts'
import links from '../../parts/button.module.css'
import { Button } from '../../parts/button.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { LinkButton } from '../../parts/link-button.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { TableScreen } from '../tables/table-screen.tsx'
import { RowDialog } from './row-dialog.tsx'
import { RowFilters } from './row-filters.tsx'
import { RowGrid } from './row-grid.tsx'
import type { RowsAddress } from './row-search.ts'
import styles from './rows.module.css'

/** The next page is requested when fewer loaded rows than these are left below the window. */
const rowsAhead = 50

/** The rows of a table, with conditions and an order. */
export function RowsPage() {
  const t = useTexts().tables
  const { id } = useParams({ from: '/signed-in/tables/$id/rows' })
  return (
    <TableScreen
      id={id}
      actions={({ commands_only }) =>
        !commands_only && (
          <Link to="." search={(search) => ({ ...search, row: 'new' })} className={links.button}>
            {t.newRow}
          </Link>
        )
      }
    >
      {(table) => <Rows key={table.id} table={table} />}
    </TableScreen>
  )
}

function Rows({ table }: { table: CustomTable }) {
  const t = useTexts().tables
  const { row, ...search } = useSearch({ from: '/signed-in/tables/$id/rows' })
  const navigate = useNavigate({ from: '/tables/$id/rows' })
  const queries = useQueryClient()
  const list = useInfiniteQuery(rowsOf(table.id, search))
  const go = (next: { [Key in keyof RowsAddress]: RowsAddress[Key] | undefined }) =>
    void navigate({ search: present(next), replace: true })
  const hasConditions = search.filter !== undefined
  function loadFurther(end: number, loaded: number): void {
    if (end > loaded - rowsAhead && list.hasNextPage && !list.isFetching && !list.error)
      void list.fetchNextPage()
  }
  return (
    <div className={styles.rows}>
      {table.commands_only && <p>{t.byCommandsOnlyWhy}</p>}
      <RowFilters
        table={table}
        filter={search.filter ?? []}
        onChange={(filter) => go({ ...search, filter: filter.length > 0 ? filter : undefined })}
      />
      <Panel
        query={list}
        rows={10}
        empty={({ pages }) => pages[0]?.items.length === 0 && (hasConditions ? t.noneMatches : t.noRows)}
      >
        {({ pages }) => {
          const rows = pages.flatMap(({ items }) => items)
          const total = hasConditions ? undefined : table.row_count
          return (
            <>
              <div className={styles.bar}>
                <p className={styles.total} role="status">
                  {list.hasNextPage ? t.firstRows(rows.length, total) : t.rows(rows.length)}
                </p>
                <Button icon="retry" isBusy={list.isFetching} onPress={() => void readRowsAgain(queries)}>
                  {t.readAgain}
                </Button>
                <LinkButton icon="download" href={rowsFile(table.id, 'csv', search.filter)}>
                  {t.csv}
                </LinkButton>
                <LinkButton icon="download" href={rowsFile(table.id, 'jsonl', search.filter)}>
                  {t.jsonLines}
                </LinkButton>
              </div>
              <RowGrid
                table={table}
                rows={rows}
                measured={pages[0]?.items ?? []}
                search={search}
                onSort={(sort) => go({ ...search, sort })}
                onWindow={(_, end) => loadFurther(end, rows.length)}
              />
              {list.error && <ErrorBox error={list.error} onRetry={() => void list.fetchNextPage()} />}
            </>
          )
        }}
      </Panel>
      {row !== undefined && <RowDialog table={table} rid={row} onClose={() => go(search)} />}
    </div>
  )
}
