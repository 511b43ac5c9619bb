import { useMemo } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { lineDiff } from './line-diff.ts'
import { TenantText } from './tenant-text.tsx'
import styles from './text-difference.module.css'

const signs = { same: ' ', removed: '−', added: '+' } as const

/** The lines in which two texts differ; nothing if they are the same. */
export function TextDifference({ label, before, after }: { label: string; before: string; after: string }) {
  const t = useTexts()
  const lines = useMemo(() => lineDiff(before, after), [before, after])
  if (lines.length === 0) return null
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard
    <section className={styles.lines} aria-label={label} tabIndex={0}>
      {lines.map(({ kind, text, count }, at) =>
        kind === 'skipped' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines are identified by their position
          <p key={at} className={styles.skipped}>
            {t.compare.skipped(count)}
          </p>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines are identified by their position
          <div key={at} className={styles.line} data-tone={tones[kind]}>
            <span aria-hidden="true">{signs[kind]}</span>
            {kind !== 'same' && <span className="hidden">{t.compare.changes[kind]}</span>}
            <TenantText text={text} />
          </div>
        ),
      )}
    </section>
  )
}

const tones = { same: undefined, removed: 'danger', added: 'success' } as const
