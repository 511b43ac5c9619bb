import { timeoutMinSeconds } from '@sandbox-jobs/contract/limits.ts'
import type { ReactNode } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { Field } from './field.tsx'

/** Whether typed seconds are a timeout of at most `max` seconds. */
export const isTimeout = (text: string, max: number): boolean =>
  Number(text) >= timeoutMinSeconds && Number(text) <= max

interface Props {
  value: string
  max: number
  isOptional?: boolean
  help?: ReactNode
  onValue: (text: string) => void
}

/** The seconds after which a run is stopped. Only digits can be typed. */
export function TimeoutField({ value, max, isOptional = false, help, onValue }: Props) {
  const t = useTexts().form
  const isValid = (isOptional && value === '') || isTimeout(value, max)
  return (
    <Field label={t.timeout} help={help} error={isValid ? undefined : t.timeoutRange(max)}>
      {(tied) => (
        <input
          {...tied}
          inputMode="numeric"
          value={value}
          onChange={(event) => onValue(event.target.value.replaceAll(/\D/g, ''))}
        />
      )}
    </Field>
  )
}
