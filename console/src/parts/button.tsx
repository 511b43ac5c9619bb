import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import type { ReactNode } from 'react'
import { Icon, type IconName } from '../design/icon.tsx'
import styles from './button.module.css'

interface Props {
  children: ReactNode
  onPress?: () => void
  /** One filled button a screen; `danger` only inside its dialog. */
  kind?: 'filled' | 'plain' | 'quiet' | 'danger'
  type?: 'button' | 'submit'
  icon?: IconName
  /** The name of a button that shows its icon alone, or what it acts on. It may name a thing of a tenant. */
  label?: string
  isBusy?: boolean
  /** Why it cannot be pressed now. */
  disabledWhy?: string | undefined
  /** The keys that do the same. */
  keys?: string | undefined
}

export function Button({ children, onPress, kind = 'plain', type = 'button', icon, isBusy, ...rest }: Props) {
  const label = rest.label && plainText(rest.label)
  const isDisabled = isBusy || rest.disabledWhy !== undefined
  return (
    <button
      type={type}
      className={`${styles.button} ${styles[kind]}`}
      aria-label={label}
      title={rest.disabledWhy ?? (rest.keys && `${label ?? ''} (${rest.keys})`.trim()) ?? label}
      aria-disabled={isDisabled || undefined}
      aria-busy={isBusy || undefined}
      onClick={(event) => {
        if (isDisabled) event.preventDefault()
        else onPress?.()
      }}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}
