import { Link } from '@tanstack/react-router'
import { useStore } from '../data/store.ts'
import { Icon } from '../design/icon.tsx'
import { TenantText } from '../parts/tenant-text.tsx'
import { useTexts } from '../texts/texts.tsx'
import styles from './header.module.css'
import { trail } from './trail.ts'

/** Where the person is, with a link to each step. */
export function TrailLinks() {
  const t = useTexts()
  const steps = useStore(trail)
  if (steps.length === 0) return <span className={styles.trail} />
  return (
    <nav className={styles.trail} aria-label={t.trail}>
      <ol>
        {steps.map(({ text, to }) => (
          <li key={to}>
            <Icon name="right" />
            <Link to={to}>
              <TenantText text={text} />
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  )
}
