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
  /** The name of a button that shows its icon alone. */
  label?: string
  isBusy?: boolean
  /** Why it cannot be pressed now. */
  disabledWhy?: string | undefined
  /** The keys that do the same. */
  keys?: string | undefined
}

export const Button = ({
  children,
  onPress,
  kind = 'plain',
  type = 'button',
  icon,
  isBusy,
  ...rest
}: Props) => (
  <button
    type={type}
    className={`${styles.button} ${styles[kind]}`}
    aria-label={rest.label}
    title={rest.disabledWhy ?? (rest.keys && `${rest.label ?? ''} (${rest.keys})`.trim()) ?? rest.label}
    aria-disabled={isBusy || rest.disabledWhy !== undefined || undefined}
    aria-busy={isBusy || undefined}
    onClick={(event) => {
      if (isBusy || rest.disabledWhy !== undefined) event.preventDefault()
      else onPress?.()
    }}
  >
    {icon && <Icon name={icon} />}
    {children}
  </button>
)
