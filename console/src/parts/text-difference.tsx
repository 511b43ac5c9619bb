import { useMemo } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { FixedRows } from './fixed-rows.tsx'
import { type DiffLine, lineDiff } from './line-diff.ts'
import { TenantText } from './tenant-text.tsx'
import styles from './text-difference.module.css'

const signs = { same: ' ', removed: '−', added: '+' } as const
const tones = { same: undefined, removed: 'danger', added: 'success' } as const
const rowHeight = 20
const rowsInView = 32

/** The lines in which two texts differ; nothing if they are the same. */
export function TextDifference({ label, before, after }: { label: string; before: string; after: string }) {
  const lines = useMemo(() => lineDiff(before, after), [before, after])
  if (lines.length === 0) return null
  // One more for the bar that scrolls sideways.
  const rows = Math.min(lines.length, rowsInView) + 1
  return (
    <div className={styles.lines} style={{ blockSize: `min(70dvh, ${rows * rowHeight}px)` }}>
      <FixedRows
        kind="text"
        label={label}
        count={lines.length}
        rowHeight={rowHeight}
        row={(index) => {
          const line = lines[index]
          return line && <Line line={line} />
        }}
      />
    </div>
  )
}

function Line({ line: { kind, text, count } }: { line: DiffLine }) {
  const t = useTexts().compare
  if (kind === 'skipped') return <p className={styles.skipped}>{t.skipped(count)}</p>
  return (
    <div className={styles.line} data-tone={tones[kind]}>
      <span aria-hidden="true">{signs[kind]}</span>
      {kind !== 'same' && <span className="hidden">{t.changes[kind]}</span>}
      <TenantText text={text} />
    </div>
  )
}
