import { type ReactNode, useEffect, useRef } from 'react'
import styles from './tabs.module.css'

/** Links to the parts of a thing. Each part has an address, so these are links and no tabs for a screen reader. */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  const nav = useRef<HTMLElement>(null)
  // A narrow screen shows some of them: the current one is among those.
  useEffect(() => {
    const current = nav.current?.querySelector('[aria-current="page"]')
    current?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [])
  return (
    <nav ref={nav} className={styles.tabs} aria-label={label}>
      {children}
    </nav>
  )
}
