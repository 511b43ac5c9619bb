import type { ReactNode } from 'react'
import { Icon, type IconName } from '../design/icon.tsx'
import type { Tone } from '../design/states.ts'
import styles from './badge.module.css'

/** A short word about a thing, in its colour. */
export const Badge = ({ tone, icon, children }: { tone: Tone; icon?: IconName; children: ReactNode }) => (
  <span className={styles.badge} data-tone={tone}>
    {icon && <Icon name={icon} />}
    {children}
  </span>
)
