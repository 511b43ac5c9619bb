import type { ReactNode } from 'react'
import styles from './check-box.module.css'

interface Props {
  isChecked: boolean
  isDisabled?: boolean
  /** For screen readers, where the visible words alone do not say what it is about. */
  label?: string
  onCheck: (isChecked: boolean) => void
  /** The words beside it. */
  children: ReactNode
}

/** A choice of yes or no, with its words. */
export const CheckBox = ({ isChecked, isDisabled = false, label, onCheck, children }: Props) => (
  <label className={styles.choice}>
    <input
      type="checkbox"
      checked={isChecked}
      disabled={isDisabled}
      aria-label={label}
      onChange={(event) => onCheck(event.target.checked)}
    />
    {children}
  </label>
)
