import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useStore } from '../data/store.ts'
import { ErrorBox } from '../parts/error-box.tsx'
import type { FixedRowsHandle } from '../parts/fixed-rows.tsx'
import { startWorker } from '../parts/own-worker.ts'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { LogFollower } from './follow-log.ts'
import workerUrl from './log.worker.ts?worker&url'
import { LogAnnouncer } from './log-announcer.tsx'
import { type LoadLog, LogClient } from './log-client.ts'
import { LogList } from './log-list.tsx'
import { LogSearchField } from './log-search-field.tsx'
import { type LogSource, readLog } from './log-source.ts'
import { LogText, type TextRange } from './log-text.tsx'
import { LogToolbar } from './log-toolbar.tsx'
import styles from './log-view.module.css'
import { useColumns } from './use-columns.ts'
import { type LineRange, useLogPosition } from './use-log-position.ts'

interface LogViewProps {
  source: LogSource
  /** The name of the log for screen readers. */
  label: string
  /** Show the end first, such as that of a run that failed. */
  startsAtEnd?: boolean
  /** The work failed: without a line that has a word for it, the last line is the failure. */
  hasFailed?: boolean
  /** Lines from 1 that the address names. */
  selected?: LineRange | undefined
  onSelect?: (range: LineRange) => void
  lineHref?: (line: number) => string
  /** `f`, `w`, `n` and `N` do something. */
  hasSingleKeys?: boolean
  /** More buttons, such as a download. */
  actions?: ReactNode
}

/** Around the first row in view, for screen readers and the search of the browser. */
const plainTextLines = 500
/** Beyond this line the end is shown until the line is read. */
const farLine = 10_000

/**
 * The log of a run or a build, of any size, while it goes on or afterwards. It fills its parent, which has a height, and has one
 * source for its life: give it a `key` that changes with the source.
 *
 *     <LogView key={run.id} label={t.run.log} source={{ kind: 'stored', read: ({ tail }, signal) => api.readRunLog(…) }}
 *       startsAtEnd={hasFailed} hasFailed={hasFailed} selected={linesOf(hash)} onSelect={(lines) => goTo(hashOf(lines))} />
 *
 * For a run that goes on: `source={{ kind: 'live', address: followAddress }}`. `read` answers a `Response` of `readRunLog`, with
 * `tail` in its query if there is one. `linesOf` and `hashOf` are in `line-hash.ts`.
 */
export function LogView(props: LogViewProps) {
  const { source, label, startsAtEnd = false, hasFailed = false, selected, onSelect } = props
  const log = useLog(source, startsAtEnd || (selected?.first ?? 0) > farLine)
  const snapshot = useStore(log.shown)
  const { state, found, failure, isTooSlow, drawn } = snapshot
  const list = useRef<FixedRowsHandle>(null)
  const searchField = useRef<HTMLInputElement>(null)
  const [columns, measured] = useColumns()
  const [isWrapped, setIsWrapped] = useState(false)
  const [onlyMatching, setOnlyMatching] = useState(false)
  const [shown, setShown] = useState({ first: 0, end: 0 })
  const [text, setText] = useState<TextRange>()
  const isLive = source.kind === 'live'
  const position = useLogPosition({ list, log, snapshot, shown, isLive, startsAtEnd, selected })

  const wrapColumns = isWrapped ? columns : undefined
  const isFiltered = onlyMatching && found !== undefined
  useEffect(
    () =>
      log.arrange({ ...(wrapColumns !== undefined && { columns: wrapColumns }), onlyMatching: isFiltered }),
    [log, wrapColumns, isFiltered],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is known changes with each state and block
  useEffect(() => log.want(shown.first, shown.end), [log, shown, state, drawn])

  async function showFailure() {
    const line = (await log.ask({ about: 'first_failure' })) ?? (hasFailed ? state.lines - 1 : undefined)
    if (line === undefined) return
    onSelect?.({ first: line + 1, last: line + 1 })
    position.showLine(line)
  }

  function selectLine(line: number, isRange: boolean) {
    const from = isRange && selected ? selected.first : line
    onSelect?.({ first: Math.min(from, line), last: Math.max(from, line) })
  }

  function showPlainText() {
    const line = log.row(shown.first)?.line ?? 0
    setText({ first: Math.max(0, line - plainTextLines), last: line + plainTextLines })
  }

  const singleKeys: Readonly<Record<string, () => void>> = {
    f: position.follow,
    w: () => setIsWrapped(!isWrapped),
    n: () => position.stepMatch(1),
    N: () => position.stepMatch(-1),
  }

  function onKeyDown(event: KeyboardEvent) {
    const hasModifier = event.ctrlKey || event.metaKey || event.altKey
    const isTyped = hasModifier || event.target instanceof HTMLInputElement || props.hasSingleKeys === false
    const act = isTyped || !Object.hasOwn(singleKeys, event.key) ? undefined : singleKeys[event.key]
    if (event.key === 'f' && (event.ctrlKey || event.metaKey) && !event.altKey) searchField.current?.select()
    else if (act) act()
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  if (failure !== undefined) return <ErrorBox error={failure} onRetry={log.start} />
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the log, each of which is also a button
    <section className={styles.view} onKeyDown={onKeyDown}>
      <LogToolbar
        {...{ onlyMatching, setOnlyMatching, isWrapped, setIsWrapped }}
        search={
          <LogSearchField
            ref={searchField}
            {...{ found, isTooSlow }}
            match={position.match}
            onQuery={(query) => {
              position.forgetMatch()
              log.search(query)
            }}
            onStep={position.stepMatch}
          />
        }
        onFirstError={() => void showFailure()}
        onPlainText={showPlainText}
        onChosenText={selected && (() => setText({ first: selected.first - 1, last: selected.last - 1 }))}
        actions={props.actions}
      />
      <LogList
        {...{ list, log, snapshot, position, label, isLive, isFiltered, selected, measured }}
        lineHref={props.lineHref ?? ((line) => `#L${line}`)}
        onLine={selectLine}
        onWindow={(first, end) => setShown({ first, end })}
        onText={setText}
      />
      {isLive && position.isFollowing && <LogAnnouncer log={log} lines={state.lines} />}
      {text && <LogText log={log} range={text} onClose={() => setText(undefined)} />}
    </section>
  )
}

/** Reads the log while it is shown. */
function useLog(source: LogSource, fromEnd: boolean): LogClient {
  const t = useTexts().log
  const formats = useFormats()
  const [log] = useState(() => {
    const gapText = (bytes: number) => t.gap(formats.bytes(bytes))
    return new LogClient({
      makeWorker: () => startWorker(workerUrl),
      load: loadOf(source, { fromEnd, gapText }),
    })
  })
  useEffect(() => {
    log.start()
    return log.stop
  }, [log])
  return log
}

function loadOf(
  source: LogSource,
  { fromEnd, gapText }: { fromEnd: boolean; gapText: (bytes: number) => string },
): LoadLog {
  return async (sink, signal) => {
    if (source.kind === 'stored') await readLog(source, sink, { fromEnd, signal })
    else new LogFollower(source.address, { sink, gapText }).follow(signal)
  }
}
