import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { firstRuns, newRuns, reachedMax } from '../../data/runs/found-runs.ts'
import { Button } from '../../parts/button.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { type Filters, isFiltered, queryOfFilters } from './filters.ts'
import { RunRows } from './run-rows.tsx'
import styles from './runs.module.css'
import { countOf, nothing, type Selection } from './selection.ts'
import { SelectionBar } from './selection-bar.tsx'

interface Props {
  filters: Filters
  hasRooms: boolean
}

/** The runs that match the filters, with their number. Other filters are another list. */
export const FoundRuns = (props: Props) => <List key={JSON.stringify(props.filters)} {...props} />

/** New runs are shown at once while the top of the list is in view. Else they wait behind a button, and no row moves. */
function List({ filters, hasRooms }: Props) {
  const t = useTexts().runs
  const query = queryOfFilters(filters)
  const first = useQuery(firstRuns(query))
  const [isAtTop, setAtTop] = useState(true)
  const [active, setActive] = useState<number>()
  const [selection, setSelection] = useState<Selection>(nothing)
  const mayMove = isAtTop && active === undefined && countOf(selection, 1) === 0
  const [kept, setKept] = useState(first.data)
  if (mayMove && kept !== first.data) setKept(first.data)
  const asOf = kept?.as_of
  const { data: added = 0 } = useQuery({ ...newRuns(query, asOf ?? ''), enabled: asOf !== undefined })
  const readAgain = useEffectEvent(() => void first.refetch())
  useEffect(() => {
    if (added > 0 && mayMove) readAgain()
  }, [added, mayMove])
  async function moveToPresent(): Promise<void> {
    const { data } = await first.refetch()
    setActive(undefined)
    setKept(data)
  }
  return (
    <div className={styles.found}>
      {added > 0 && !mayMove && (
        <Button icon="up" isBusy={first.isFetching} onPress={() => void moveToPresent()}>
          {t.added(added)}
        </Button>
      )}
      <Panel
        query={{ ...first, data: kept ?? first.data }}
        rows={10}
        empty={({ total }) => total === 0 && (isFiltered(filters) ? t.noneMatches : t.none)}
      >
        {(list) => (
          <>
            <p className={styles.total} role="status">
              {list.total > reachedMax ? t.newestOf(reachedMax, list.total) : t.total(list.total)}
            </p>
            <SelectionBar
              selection={selection}
              total={list.total}
              filters={{ ...query, queued_before: list.as_of }}
              onChange={setSelection}
            />
            <RunRows
              {...{ list, query, hasRooms, selection, active }}
              onSelection={setSelection}
              onActive={setActive}
              onTop={setAtTop}
            />
          </>
        )}
      </Panel>
    </div>
  )
}
