import { type ReactNode, useId } from 'react'
import styles from './field.module.css'

/** The attributes that tie a control to its label, its help and its error. */
interface Tied {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
}

interface Props {
  label: string
  help?: ReactNode
  error?: string | undefined
  children: (tied: Tied) => ReactNode
}

/** A control with its label, its help and its error, tied together for screen readers. */
export function Field({ label, help, error, children }: Props) {
  const id = useId()
  const describedBy = [help && `${id}-help`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-describedby': describedBy === '' ? undefined : describedBy,
        'aria-invalid': error ? true : undefined,
      })}
      {help && (
        <p id={`${id}-help`} className={styles.help}>
          {help}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className={styles.error}>
          {error}
        </p>
      )}
    </div>
  )
}
