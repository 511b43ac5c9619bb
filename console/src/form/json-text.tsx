import { runInputBounds } from '@sandbox-jobs/contract/input-schema/strict-json.ts'
import { useState } from 'react'
import { useTexts } from '../texts/texts.tsx'
import styles from './form.module.css'
import type { Json } from './json.ts'
import { areEqual } from './json.ts'
import { parsedJson } from './parsed-json.ts'

/** The whole input as JSON. Text that is none stays as it is typed, and the value is the last one that was. */
export function JsonText({
  value,
  onValue,
}: {
  value: Json | undefined
  onValue: (value: Json | undefined) => void
}) {
  const t = useTexts().inputForm
  const [typed, setTyped] = useState(() => textOf(value))
  const parsed = parsedJson(typed, runInputBounds)
  const isTyped = parsed.kind === 'refused' || areEqual(parsed.value, value)
  function set(next: string) {
    setTyped(next)
    const result = parsedJson(next, runInputBounds)
    if (result.kind === 'parsed') onValue(result.value)
  }
  return (
    <div className={styles.field}>
      <textarea
        className={styles.code}
        aria-label={t.json}
        rows={20}
        spellCheck={false}
        dir="ltr"
        value={isTyped ? typed : textOf(value)}
        onChange={(event) => set(event.target.value)}
      />
      {isTyped && parsed.kind === 'refused' && (
        <p className={styles.error} role="alert">
          {t.notJson(parsed.line, parsed.refusal)}
        </p>
      )}
    </div>
  )
}

const textOf = (value: Json | undefined): string =>
  value === undefined ? '' : JSON.stringify(value, null, 2)
