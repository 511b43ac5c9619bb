import { Link, Outlet } from '@tanstack/react-router'
import { MoreSections } from '../app/more-sections.tsx'
import { OfflineBar } from '../app/offline-bar.tsx'
import styles from '../app/shell.module.css'
import bar from '../app/side-bar.module.css'
import { Icon, type IconName } from '../design/icon.tsx'
import { useTexts } from '../texts/texts.tsx'
import { OperatorHeader } from './operator-header.tsx'
import { useOperatorTexts } from './texts/operator-texts.tsx'

/** The frame of every screen of an operator who is signed in. */
export const OperatorShell = () => (
  <div className={styles.page}>
    <OperatorHeader />
    <div className={styles.body}>
      <Sections />
      <div className={styles.content}>
        <OfflineBar />
        <main id="main" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
    </div>
  </div>
)

interface Section {
  to: string
  icon: IconName
  name: string
}

function Sections() {
  const t = useTexts()
  const own = useOperatorTexts()
  const first: Section[] = [
    { to: '/', icon: 'clock', name: own.overview.title },
    { to: '/companies', icon: 'company', name: own.companies.title },
    { to: '/runs', icon: 'runs', name: own.work.runs },
    { to: '/builds', icon: 'archive', name: own.work.builds },
  ]
  const further: Section[] = [
    { to: '/images', icon: 'stop', name: own.images.title },
    { to: '/network', icon: 'link', name: own.network.title },
    { to: '/prices', icon: 'chart', name: own.prices.title },
    { to: '/log', icon: 'job', name: own.log.title },
    { to: '/acts', icon: 'file', name: own.acts.title },
  ]
  return (
    <nav className={bar.bar} aria-label={t.sections.label}>
      <Links sections={first} />
      <MoreSections>
        <Links sections={further} />
      </MoreSections>
    </nav>
  )
}

const Links = ({ sections }: { sections: readonly Section[] }) =>
  sections.map(({ to, icon, name }) => (
    <Link key={to} to={to} className={bar.link} activeOptions={{ exact: to === '/' }}>
      <Icon name={icon} />
      <span>{name}</span>
    </Link>
  ))
