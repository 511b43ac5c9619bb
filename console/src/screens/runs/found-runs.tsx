import { useInfiniteQuery } from '@tanstack/react-query'
import { matchingRuns } from '../../data/runs/runs.ts'
import { MoreButton } from '../../parts/more-button.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { type Filters, isFiltered, queryOfFilters } from './filters.ts'
import { RunTable } from './run-table.tsx'
import styles from './runs.module.css'

/** The runs that match the filters, page by page, with their number. */
export function FoundRuns({ filters, hasRooms }: { filters: Filters; hasRooms: boolean }) {
  const t = useTexts()
  const query = useInfiniteQuery(matchingRuns(queryOfFilters(filters)))
  const none = isFiltered(filters) ? t.runs.noneMatches : t.runs.none
  return (
    <Panel query={query} rows={10} empty={({ pages }) => pages[0]?.items.length === 0 && none}>
      {({ pages }) => (
        <div className={styles.found}>
          <p className={styles.total} role="status">
            {t.runs.total(pages[0]?.total ?? 0)}
          </p>
          <RunTable runs={pages.flatMap(({ items }) => items)} hasRooms={hasRooms} />
          <MoreButton query={query} />
        </div>
      )}
    </Panel>
  )
}
