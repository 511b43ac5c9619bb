import { Link } from '@tanstack/react-router'
import { Icon } from '../design/icon.tsx'
import { useTexts } from '../texts/texts.tsx'
import { keysOf } from './actions.ts'
import styles from './header.module.css'
import { PersonMenu } from './person-menu.tsx'
import { TrailLinks } from './trail-links.tsx'

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
      <TrailLinks />
      <button type="button" className={styles.search} onClick={onOpenPalette}>
        <Icon name="search" />
        <span className={styles.name}>{t.palette.open}</span>
        <kbd>{keysOf('palette')}</kbd>
      </button>
      <PersonMenu onShowKeys={onShowKeys} />
    </header>
  )
}
