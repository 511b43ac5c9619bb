import { useEffect, useEffectEvent, useState } from 'react'
import { useTexts } from '../texts/texts.tsx'
import type { LogClient } from './log-client.ts'
import styles from './log-view.module.css'

const announcedLines = 5
const everyMs = 3000

/** Reads the last lines of a log that is followed to people who do not see it, at most every three seconds. */
export function LogAnnouncer({ log, lines }: { log: LogClient; lines: number }) {
  const t = useTexts().log
  const [text, setText] = useState('')
  const announce = useEffectEvent(async () => {
    setText(await log.ask({ about: 'text', first: Math.max(0, lines - announcedLines), last: lines }))
  })
  useEffect(() => {
    const timer = setInterval(() => void announce(), everyMs)
    return () => clearInterval(timer)
  }, [])
  return (
    <div className={styles.hidden} role="log" aria-live="polite" aria-label={t.lastLines}>
      {text}
    </div>
  )
}
