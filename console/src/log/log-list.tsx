import type { MouseEvent, Ref } from 'react'
import { Button } from '../parts/button.tsx'
import { FixedRows, type FixedRowsHandle } from '../parts/fixed-rows.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import type { LogClient, LogSnapshot } from './log-client.ts'
import { LogLine } from './log-line.tsx'
import type { TextRange } from './log-text.tsx'
import styles from './log-view.module.css'
import { MatchBar } from './match-bar.tsx'
import type { LineRange, LogPosition } from './use-log-position.ts'

interface LogListProps {
  list: Ref<FixedRowsHandle>
  log: LogClient
  snapshot: LogSnapshot
  position: LogPosition
  label: string
  isLive: boolean
  isFiltered: boolean
  selected: LineRange | undefined
  lineHref: (line: number) => string
  onLine: (line: number, isRange: boolean) => void
  onWindow: (first: number, end: number) => void
  onText: (range: TextRange) => void
  /** Measures the width of the list. */
  measured: (element: HTMLElement | null) => (() => void) | undefined
}

const rowHeight = 20
const numberColumnsMin = 4

/** The rows of a log, marks of what was found beside them, and the way back to the end of one that goes on. */
export function LogList({ list, measured, log, snapshot, position, ...props }: LogListProps) {
  const t = useTexts().log
  const formats = useFormats()
  const { state, found } = snapshot
  const { selected } = props
  const numberColumns = state.isTail ? undefined : Math.max(numberColumnsMin, String(state.lines).length + 1)
  const matchedLine = position.match === undefined ? undefined : found?.lines[position.match]
  function onClick(event: MouseEvent) {
    const link = event.target instanceof Element ? event.target.closest('a[data-line]') : null
    if (!(link instanceof HTMLElement) || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    props.onLine(Number(link.dataset.line), event.shiftKey)
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: numbers of lines in it are links
    // biome-ignore lint/a11y/useKeyWithClickEvents: numbers of lines in it are links
    <div className={styles.list} ref={measured} onClick={onClick}>
      <FixedRows
        ref={list}
        kind="text"
        label={props.label}
        count={state.rows}
        rowHeight={rowHeight}
        onWindow={props.onWindow}
        onMoved={position.onMoved}
        row={(index) => {
          const row = log.row(index)
          const line = row?.line ?? -1
          return (
            <LogLine
              row={row}
              numberColumns={numberColumns}
              isSelected={selected !== undefined && line + 1 >= selected.first && line + 1 <= selected.last}
              isMatched={line === matchedLine}
              href={props.lineHref(line + 1)}
              cut={
                row?.cutBytes !== undefined && (
                  <Button kind="quiet" onPress={() => props.onText({ first: line, last: line })}>
                    {t.showAll(formats.bytes(row.cutBytes))}
                  </Button>
                )
              }
            />
          )
        }}
      />
      {found && !props.isFiltered && <MatchBar lines={found.lines} count={state.lines} />}
      {props.isLive && !position.isFollowing && !state.isWhole && (
        <span className={styles.follow}>
          <Button kind="filled" icon="down" keys="f" onPress={position.follow}>
            {t.follow(position.newLines)}
          </Button>
        </span>
      )}
      {snapshot.isInterrupted && (
        <p className={styles.note} role="status">
          {t.interrupted}
        </p>
      )}
      {state.isWhole && state.lines === 0 && <p className={styles.empty}>{t.nothingPrinted}</p>}
    </div>
  )
}
