import { runInputBounds } from '@sandbox-jobs/contract/input-schema/strict-json.ts'
import { useState } from 'react'
import { useTexts } from '../texts/texts.tsx'
import type { Field } from './field.ts'
import { FieldFrame, useControl } from './field-frame.tsx'
import styles from './form.module.css'
import { useForm } from './form-context.ts'
import { areEqual, valueAt } from './json.ts'
import { parsedJson } from './parsed-json.ts'

/** A part that has no controls of its own, as JSON. */
export function JsonControl({ field }: { field: Extract<Field, { kind: 'json' }> }) {
  const t = useTexts().inputForm
  const form = useForm()
  const control = useControl(field)
  const value = valueAt(form.value, field.path)
  const [typed, setTyped] = useState('')
  const parsed = parsedJson(typed, runInputBounds)
  const isTyped = parsed.kind === 'refused' || areEqual(parsed.value, value)
  const text = isTyped ? typed : value === undefined ? '' : JSON.stringify(value, null, 2)
  function set(next: string) {
    setTyped(next)
    const result = parsedJson(next, runInputBounds)
    if (result.kind === 'parsed') form.set(field.path, result.value)
  }
  return (
    <FieldFrame field={field}>
      <p className={styles.soft}>{t.noPlan[field.reason]}</p>
      <textarea
        {...control}
        className={styles.code}
        rows={Math.min(12, Math.max(2, text.split('\n', 13).length))}
        spellCheck={false}
        dir="ltr"
        value={text}
        onChange={(event) => set(event.target.value)}
      />
      {isTyped && parsed.kind === 'refused' && (
        <p className={styles.error} role="alert">
          {t.notJson(parsed.line, parsed.refusal)}
        </p>
      )}
    </FieldFrame>
  )
}
