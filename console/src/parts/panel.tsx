import { type ReactNode, useEffect, useState } from 'react'
import { connection } from '../data/api/api.ts'
import { useStore } from '../data/store.ts'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { ErrorBox } from './error-box.tsx'
import styles from './panel.module.css'

const skeletonAfterMs = 150

/** The answer of one query, or of several together. */
export interface Answer<T> {
  data: T | undefined
  error: unknown
  dataUpdatedAt: number
  refetch: () => unknown
}

interface Props<T> {
  query: Answer<T>
  /** Why there is nothing, for data without content. */
  empty?: (data: T) => ReactNode
  /** Rows of the skeleton, so that the page does not jump when the content comes. */
  rows?: number
  children: (data: T) => ReactNode
}

/** An answer in one of four states: loading, empty, error, or content that may be old. */
export function Panel<T>({ query, empty, rows = 3, children }: Props<T>) {
  const { data, error, refetch } = query
  if (data === undefined) {
    return error ? <ErrorBox error={error} onRetry={() => void refetch()} /> : <Skeleton rows={rows} />
  }
  const why = empty?.(data)
  return (
    <>
      <Stale since={query.dataUpdatedAt} />
      {why ? <p className={styles.empty}>{why}</p> : children(data)}
    </>
  )
}

function Stale({ since }: { since: number }) {
  const t = useTexts()
  const formats = useFormats()
  if (useStore(connection.state).isUp) return null
  return <p className={styles.stale}>{t.notUpdatedSince(formats.timeOfDay(new Date(since)))}</p>
}

/** Nothing at first: what comes at once needs no sign that it is awaited. */
export function Skeleton({ rows }: { rows: number }) {
  const t = useTexts()
  const [isShown, setIsShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsShown(true), skeletonAfterMs)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className={styles.skeleton} aria-busy="true" aria-label={t.loading} role="status">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows without content have nothing else
        <span key={row} className={isShown ? styles.bar : styles.space} />
      ))}
    </div>
  )
}
