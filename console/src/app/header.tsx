import { Link } from '@tanstack/react-router'
import { useStore } from '../data/store.ts'
import { Icon } from '../design/icon.tsx'
import { TenantText } from '../parts/tenant-text.tsx'
import { useTexts } from '../texts/texts.tsx'
import { keysOf } from './actions.ts'
import styles from './header.module.css'
import { PersonMenu } from './person-menu.tsx'
import { trail } from './trail.ts'

interface Props {
  onOpenPalette: () => void
  onShowKeys: () => void
}

export function Header({ onOpenPalette, onShowKeys }: Props) {
  const t = useTexts()
  return (
    <header className={styles.header}>
      <a className={styles.skip} href="#main">
        {t.skipToContent}
      </a>
      <Link to="/" className={styles.product}>
        {t.product}
      </Link>
      <Trail />
      <button type="button" className={styles.search} onClick={onOpenPalette}>
        <Icon name="search" />
        <span className={styles.name}>{t.palette.open}</span>
        <kbd>{keysOf('palette')}</kbd>
      </button>
      <PersonMenu onShowKeys={onShowKeys} />
    </header>
  )
}

function Trail() {
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
