import type { ReactNode } from 'react'
import { Icon, type IconName } from '../design/icon.tsx'
import styles from './button.module.css'

/** A download that looks like a button. */
export const LinkButton = ({
  href,
  icon,
  name,
  children,
}: {
  href: string
  icon: IconName
  /** Name of the file, where the service gives none. */
  name?: string
  children: ReactNode
}) => (
  <a className={`${styles.button} ${styles.plain}`} href={href} download={name ?? true}>
    <Icon name={icon} />
    {children}
  </a>
)
