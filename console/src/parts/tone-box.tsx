import type { ReactNode } from 'react'
import { Icon, type IconName } from '../design/icon.tsx'
import type { Tone } from '../design/states.ts'
import styles from './tone-box.module.css'

interface Props {
  tone: Tone
  icon: IconName
  /** Beside the words. */
  action?: ReactNode
  role?: 'alert'
  children: ReactNode
}

/** Words about something that has happened, in its colour. */
export const ToneBox = ({ tone, icon, action, role, children }: Props) => (
  <div className={styles.box} role={role} data-tone={tone}>
    <Icon name={icon} />
    <div className={styles.words}>{children}</div>
    {action}
  </div>
)
