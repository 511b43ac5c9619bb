import { useState } from 'react'
import { Icon } from '../design/icon.tsx'
import { useTexts } from '../texts/texts.tsx'
import styles from './id-text.module.css'

const shownEnd = 4

/** `run_…f13a` of a whole identifier: its end differs between things that were made together. */
export const shortId = (id: string): string => `${id.slice(0, 4)}…${id.slice(-shownEnd)}`

/** An identifier, shortened; one click copies it whole. */
export function IdText({ id }: { id: string }) {
  const t = useTexts()
  const [isCopied, setIsCopied] = useState(false)
  const copy = () => navigator.clipboard.writeText(id).then(() => setIsCopied(true))
  return (
    <button
      type="button"
      className={styles.id}
      title={`${t.copy} ${id}`}
      onClick={() => void copy()}
      onBlur={() => setIsCopied(false)}
    >
      {shortId(id)}
      <Icon name={isCopied ? 'check' : 'copy'} />
      <output className="hidden">{isCopied && t.copied}</output>
    </button>
  )
}
