import type { FoundRun, FoundRunList } from '@sandbox-jobs/contract/resources/runs/found-run.ts'
import { useNavigate } from '@tanstack/react-router'
import {
  type Dispatch,
  type KeyboardEvent,
  type SetStateAction,
  useCallback,
  useEffect,
  useRef,
  useState,
} from 'react'
import { useAction } from '../../app/actions.ts'
import { type FoundFilters, placeOf } from '../../data/runs/found-runs.ts'
import { ErrorBox } from '../../parts/error-box.tsx'
import { FixedRows, type FixedRowsHandle, gridHead } from '../../parts/fixed-rows.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { RunCells } from './run-cells.tsx'
import styles from './run-rows.module.css'
import { isChosen, nothing, type Selection, toggled, withRuns } from './selection.ts'
import { useFoundRows } from './use-found-rows.ts'

const rowHeight = 40

interface Props {
  list: FoundRunList
  query: FoundFilters
  hasRooms: boolean
  selection: Selection
  onSelection: Dispatch<SetStateAction<Selection>>
  /** The row that keys move. */
  active: number | undefined
  onActive: (index: number) => void
  /** Whether the first row is in view. */
  onTop: (isInView: boolean) => void
}

/** Runs by keys and pointer: one row is active, any number is chosen. A narrow screen shows state, task and time. */
export function RunRows({ list, query, hasRooms, selection, onSelection, active, onActive, onTop }: Props) {
  const t = useTexts().runs
  const navigate = useNavigate()
  const { count, rowAt, error, retry, show } = useFoundRows(list, query)
  const rows = useRef<FixedRowsHandle>(null)
  /** Where a range begins. */
  const [lastChosen, setLastChosen] = useState<number>()
  const run = active === undefined ? undefined : rowAt(active)

  function move(by: number): void {
    const next = active === undefined ? 0 : Math.min(Math.max(0, active + by), count - 1)
    onActive(next)
    rows.current?.reveal(next)
    rows.current?.focus()
  }
  const choose = useCallback(
    (index: number, { id }: FoundRun): void => {
      onActive(index)
      setLastChosen(index)
      onSelection((before) => toggled(before, id))
    },
    [onActive, onSelection],
  )
  function chooseRange(index: number): void {
    const from = Math.min(lastChosen ?? index, index)
    const between = Array.from(
      { length: Math.abs((lastChosen ?? index) - index) + 1 },
      (_, at) => rowAt(from + at)?.id,
    )
    onSelection(
      withRuns(
        selection,
        between.filter((id) => id !== undefined),
      ),
    )
  }
  function onKeyDown(event: KeyboardEvent): void {
    // A link or a box in the list has keys of its own.
    const isOnList = event.target instanceof HTMLElement && event.target.role === 'grid'
    if (event.key === 'Escape') onSelection(nothing)
    else if (event.key === 'Enter' && isOnList && run)
      void navigate({ to: '/chatrooms/$cid/runs/$rid', params: placeOf(run) })
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: a list that was read again begins at its top
  useEffect(() => rows.current?.reveal(0), [list.as_of])
  useAction('nextRow', () => move(1))
  useAction('previousRow', () => move(-1))
  useAction('chooseRow', () => active !== undefined && run && choose(active, run), run !== undefined)
  useAction('chooseRows', () => active !== undefined && chooseRange(active), run !== undefined)

  return (
    <>
      {error && <ErrorBox error={error} onRetry={retry} />}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys of the grid in it */}
      <div
        className={styles.list}
        style={{ blockSize: `min(75dvh, ${(count + 1.5) * rowHeight}px)` }}
        onKeyDown={onKeyDown}
      >
        <FixedRows
          ref={rows}
          kind="grid"
          fits
          label={t.title}
          {...{ count, rowHeight, active }}
          onActive={onActive}
          onWindow={(first, end) => {
            onTop(first === 0)
            show(first, end)
          }}
          head={<Head hasRooms={hasRooms} />}
          row={(index) => {
            const shown = rowAt(index)
            return (
              <RunCells
                index={index}
                run={shown}
                hasRooms={hasRooms}
                isChosen={shown !== undefined && isChosen(selection, shown.id)}
                canChoose={selection !== 'all'}
                onChoose={choose}
              />
            )
          }}
        />
      </div>
    </>
  )
}

function Head({ hasRooms }: { hasRooms: boolean }) {
  const t = useTexts().runs
  const heads = [
    { text: t.chosen, style: styles.box, isHidden: true },
    { text: t.state, style: styles.state },
    { text: t.task, style: styles.task },
    ...(hasRooms ? [{ text: t.room, style: `${styles.task} ${styles.wide}` }] : []),
    { text: t.queued, style: styles.when },
    { text: t.waited, style: `${styles.time} ${styles.wide}` },
    { text: t.took, style: `${styles.time} ${styles.wide}` },
    { text: t.error, style: `${styles.error} ${styles.wide}` },
  ]
  return heads.map(({ text, style, isHidden }) => (
    <span key={text} {...gridHead} className={`${styles.cell} ${style}`}>
      {isHidden ? <span className="hidden">{text}</span> : text}
    </span>
  ))
}
