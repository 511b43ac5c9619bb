import { useState } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { textOfValue } from './cell-value.ts'
import { exactNumber, losesDigits } from './exact-number.ts'
import type { Field } from './field.ts'
import { FieldFrame, useControl } from './field-frame.tsx'
import styles from './form.module.css'
import { useForm } from './form-context.ts'
import { areEqual, valueAt } from './json.ts'

type Kind<Name extends Field['kind']> = Extract<Field, { kind: Name }>

/** The modes of keyboards on phones. */
const inputModes = { email: 'email', uri: 'url', ipv4: 'decimal' } as const

export function TextControl({ field }: { field: Kind<'text'> }) {
  const form = useForm()
  const control = useControl(field)
  const text = textOfValue(valueAt(form.value, field.path))
  // An empty text is a value only where the field must have one.
  const set = (next: string) => form.set(field.path, next === '' && !field.isRequired ? undefined : next)
  const mode = Object.entries(inputModes).find(([format]) => format === field.format)?.[1]
  return (
    <FieldFrame field={field}>
      {field.hasLines ? (
        <textarea
          {...control}
          className={styles.lines}
          rows={4}
          dir="auto"
          value={text}
          onChange={(event) => set(event.target.value)}
        />
      ) : (
        <input
          {...control}
          className={styles.input}
          type="text"
          inputMode={mode}
          dir="auto"
          spellCheck={field.format === undefined}
          value={text}
          onChange={(event) => set(event.target.value)}
        />
      )}
    </FieldFrame>
  )
}

/** Takes any text, so that nothing that is typed is lost. A text that is no exact number is kept, and the check refuses it. */
export function NumberControl({ field }: { field: Kind<'number'> }) {
  const t = useTexts().inputForm
  const form = useForm()
  const control = useControl(field)
  const value = valueAt(form.value, field.path)
  const [typed, setTyped] = useState('')
  const isTyped = areEqual(exactNumber(typed) ?? (typed === '' ? undefined : typed), value)
  const text = isTyped ? typed : textOfValue(value)
  function set(next: string) {
    setTyped(next)
    form.set(field.path, next === '' ? undefined : (exactNumber(next) ?? next))
  }
  return (
    <FieldFrame field={field}>
      <input
        {...control}
        className={styles.number}
        type="text"
        inputMode={field.isInteger ? 'numeric' : 'decimal'}
        value={text}
        onChange={(event) => set(event.target.value)}
      />
      {losesDigits(text) && <p className={styles.warning}>{t.losesDigits}</p>}
    </FieldFrame>
  )
}

const inputTypes = { date: 'date', time: 'time', 'date-time': 'datetime-local' } as const

export function MomentControl({ field }: { field: Kind<'moment'> }) {
  const t = useTexts().inputForm
  const form = useForm()
  const control = useControl(field)
  const text = textOfValue(valueAt(form.value, field.path))
  const isWhole = field.format === 'date-time'
  const set = (next: string) => form.set(field.path, next === '' ? undefined : momentOf(next, field.format))
  return (
    <FieldFrame field={field}>
      <span className={styles.row}>
        <input
          {...control}
          className={styles.moment}
          type={inputTypes[field.format]}
          step={field.format === 'date' ? undefined : 1}
          value={isWhole ? localTime(text) : text.replace(/(Z|[+-]\d\d:\d\d)$/, '')}
          onChange={(event) => set(event.target.value)}
        />
        {field.format !== 'date' && <span className={styles.soft}>{t.zone(zoneOf())}</span>}
      </span>
    </FieldFrame>
  )
}

const zoneOf = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** A time as RFC 3339 writes it: with its distance from UTC. */
function momentOf(text: string, format: Kind<'moment'>['format']): string {
  if (format === 'date') return text
  if (format === 'date-time') return Number.isNaN(Date.parse(text)) ? text : new Date(text).toISOString()
  return `${text.length === 5 ? `${text}:00` : text}${offsetOf(new Date())}`
}

function offsetOf(at: Date): string {
  const minutes = -at.getTimezoneOffset()
  const two = (value: number) => String(Math.floor(Math.abs(value))).padStart(2, '0')
  return minutes === 0 ? 'Z' : `${minutes < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`
}

/** The form that an input of local time takes. */
function localTime(text: string): string {
  const at = new Date(text)
  if (text === '' || Number.isNaN(at.getTime())) return ''
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

/** One of the files that the run is given. */
export function RunFileControl({ field }: { field: Kind<'run_file'> }) {
  const t = useTexts().inputForm
  const form = useForm()
  const control = useControl(field)
  const name = textOfValue(valueAt(form.value, field.path))
  const names = form.files.includes(name) || name === '' ? form.files : [name, ...form.files]
  return (
    <FieldFrame field={field}>
      <select
        {...control}
        className={styles.input}
        value={name}
        onChange={(event) => form.set(field.path, event.target.value === '' ? undefined : event.target.value)}
      >
        <option value="">{names.length === 0 ? t.noFiles : t.chooseFile}</option>
        {names.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </FieldFrame>
  )
}
