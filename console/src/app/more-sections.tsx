import { type ReactNode, useId } from 'react'
import { Icon } from '../design/icon.tsx'
import { useTexts } from '../texts/texts.tsx'
import styles from './side-bar.module.css'

/** Sections for which the bar at the foot of a narrow screen has no room: a button opens them there. Elsewhere they are part of the bar. */
export function MoreSections({ children }: { children: ReactNode }) {
  const t = useTexts()
  const id = useId()
  return (
    <>
      <button type="button" className={`${styles.link} ${styles.more}`} popoverTarget={id}>
        <Icon name="menu" />
        <span>{t.sections.more}</span>
      </button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a press of Enter on a link is a click too */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: its links are pressed */}
      <div
        id={id}
        popover="auto"
        className={styles.sheet}
        onClick={({ currentTarget }) => {
          if (currentTarget.matches(':popover-open')) currentTarget.hidePopover()
        }}
      >
        {children}
      </div>
    </>
  )
}
