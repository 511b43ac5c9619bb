import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { FixedRows, type FixedRowsHandle } from '../parts/fixed-rows.tsx'
import { SearchInput } from '../parts/search-input.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { findInJson, type JsonRow, keyOf, openAtStart, openTo, pathText, rowsOfJson } from './json-rows.ts'
import styles from './results.module.css'

const rowHeight = 24
const rowsInView = 24

/** A value of JSON as a tree, whose parts fold. Arrows move and fold; path and value of the row are copied by buttons. */
export function JsonTree({ value, label }: { value: unknown; label: string }) {
  const list = useRef<FixedRowsHandle>(null)
  const [open, setOpen] = useState<ReadonlySet<string>>(() => openAtStart(value))
  const [active, setActive] = useState(0)
  const [text, setText] = useState('')
  const [match, setMatch] = useState(-1)
  const rows = useMemo(() => rowsOfJson(value, open), [value, open])
  const found = useMemo(() => findInJson(value, text), [value, text])
  const current = rows[Math.min(active, rows.length - 1)]

  function fold(row: JsonRow, isOpen: boolean) {
    const next = new Set(open)
    if (isOpen) next.add(keyOf(row.path))
    else next.delete(keyOf(row.path))
    setOpen(next)
  }

  function step(by: 1 | -1) {
    if (found.length === 0) return
    const next = (match + by + found.length) % found.length
    const path = found[next]
    const opened = openTo(path, open)
    const key = keyOf(path)
    const at = rowsOfJson(value, opened).findIndex((row) => keyOf(row.path) === key && row.more === undefined)
    setMatch(next)
    setOpen(opened)
    setActive(at)
    // The rows are there after this change is drawn.
    requestAnimationFrame(() => list.current?.reveal(at, 'center'))
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.target instanceof HTMLInputElement || current === undefined) return
    const isFolded = current.size !== undefined && !current.isOpen
    if (event.key === 'ArrowRight' && isFolded) fold(current, true)
    else if (event.key === 'ArrowLeft' && current.isOpen) fold(current, false)
    else if (event.key === 'ArrowLeft') moveToParent(current)
    else if ((event.key === 'Enter' || event.key === ' ') && current.size) fold(current, isFolded)
    else return
    event.preventDefault()
  }

  function moveToParent({ path }: JsonRow) {
    if (path === undefined) return
    const parent = keyOf(path.parent)
    const at = rows.findIndex((row) => keyOf(row.path) === parent)
    setActive(at)
    list.current?.reveal(at)
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the tree in it
    <div className={styles.tree} onKeyDown={onKeyDown}>
      <TreeBar
        current={current}
        count={text === '' ? undefined : found.length}
        text={text}
        onText={(next) => {
          setText(next)
          setMatch(-1)
        }}
        onStep={step}
      />
      <div className={styles.list} style={{ blockSize: rowHeight * Math.min(rows.length, rowsInView) }}>
        <FixedRows
          ref={list}
          kind="tree"
          label={label}
          count={rows.length}
          rowHeight={rowHeight}
          active={active}
          onActive={setActive}
          rowAttributes={(index) => {
            const row = rows[index]
            return { 'aria-level': (row?.depth ?? 0) + 1, ...(row?.size && { 'aria-expanded': row.isOpen }) }
          }}
          row={(index) => {
            const row = rows[index]
            if (row === undefined) return null
            return (
              <TreeNode
                row={row}
                onPress={() => {
                  setActive(index)
                  if (row.size) fold(row, !row.isOpen)
                }}
              />
            )
          }}
        />
      </div>
    </div>
  )
}

function TreeNode({ row, onPress }: { row: JsonRow; onPress: () => void }) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the tree do the same
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys of the tree do the same
    <span className={styles.node} style={{ paddingInlineStart: `${row.depth * 16 + 8}px` }} onClick={onPress}>
      <span className={styles.marker} aria-hidden="true">
        {row.size ? (row.isOpen ? '▾' : '▸') : ''}
      </span>
      <RowText row={row} />
    </span>
  )
}

interface TreeBarProps {
  current: JsonRow | undefined
  /** How many places the text is found at. */
  count: number | undefined
  text: string
  onText: (text: string) => void
  onStep: (by: 1 | -1) => void
}

function TreeBar({ current, count, text, onText, onStep }: TreeBarProps) {
  const t = useTexts().results
  const formats = useFormats()
  return (
    <div className={styles.bar}>
      <SearchInput
        label={t.search}
        value={text}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && onStep(event.shiftKey ? -1 : 1)}
      />
      <span className={styles.soft} role="status">
        {count !== undefined && t.found(formats.number(count))}
      </span>
      <span className={styles.end}>
        <Button kind="quiet" icon="copy" onPress={() => void copyText(pathText(current?.path))}>
          {t.copyPath}
        </Button>
        <Button kind="quiet" icon="copy" onPress={() => void copyText(valueText(current?.value))}>
          {t.copyValue}
        </Button>
      </span>
    </div>
  )
}

function RowText({ row }: { row: JsonRow }) {
  const t = useTexts().results
  const formats = useFormats()
  if (row.more !== undefined) return <span className={styles.soft}>{t.more(formats.number(row.more))}</span>
  const isList = Array.isArray(row.value)
  return (
    <>
      {row.label !== undefined && <bdi className={styles.name}>{row.label}</bdi>}
      {row.size === undefined ? (
        <JsonScalar value={row.value} />
      ) : (
        <span className={styles.soft}>{isList ? t.items(row.size) : t.fields(row.size)}</span>
      )}
    </>
  )
}

const shownMax = 500

/** A value without parts, cut to a line. */
export function JsonScalar({ value }: { value: unknown }) {
  if (typeof value !== 'string') return <code data-kind="value">{JSON.stringify(value) ?? ''}</code>
  const text = value.length > shownMax ? `${value.slice(0, shownMax)}…` : value
  return <bdi dir="auto">{plainText(text)}</bdi>
}

const valueText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')

const copyText = (text: string): Promise<void> => navigator.clipboard.writeText(text)
