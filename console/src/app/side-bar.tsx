import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { companyPartsOf } from '../data/company/company-parts.ts'
import { inbox, unreadCount } from '../data/person/inbox.ts'
import { me } from '../data/person/me.ts'
import { hasRooms } from '../data/person/roles.ts'
import { lastRooms } from '../data/rooms/last-rooms.ts'
import { ownRooms } from '../data/rooms/rooms.ts'
import { useStore } from '../data/store.ts'
import { Icon } from '../design/icon.tsx'
import { TenantText } from '../parts/tenant-text.tsx'
import { useTexts } from '../texts/texts.tsx'
import { MoreSections } from './more-sections.tsx'
import styles from './side-bar.module.css'

/** The sections that exist, and the rooms that were opened last. At the foot of a narrow screen. */
export function SideBar() {
  const t = useTexts()
  const { data: account } = useQuery(me)
  return (
    <nav className={styles.bar} aria-label={t.sections.label}>
      {hasRooms(account?.role) ? (
        <>
          <Everybody />
          <MoreSections>
            <Authors />
            <Company />
          </MoreSections>
          <LastRooms />
        </>
      ) : (
        <Company />
      )}
    </nav>
  )
}

/** For everybody who is in rooms. */
function Everybody() {
  const t = useTexts()
  return (
    <>
      <Link to="/chatrooms" className={styles.link}>
        <Icon name="rooms" />
        <span>{t.sections.rooms}</span>
      </Link>
      <Link to="/runs" className={styles.link}>
        <Icon name="runs" />
        <span>{t.sections.runs}</span>
      </Link>
      <Inbox />
    </>
  )
}

/** With the number of what waits and of what is not read. */
function Inbox() {
  const t = useTexts()
  const { data: waiting } = useQuery(inbox)
  const { data: unread = 0 } = useQuery(unreadCount)
  const count = (waiting?.count ?? 0) + unread
  return (
    <Link to="/inbox" className={styles.link} activeOptions={{ exact: false }}>
      <Icon name="inbox" />
      <span>{t.sections.inbox}</span>
      {count > 0 && (
        <span className={styles.count} aria-label={t.inbox.waiting(count)} role="status">
          {count}
        </span>
      )}
    </Link>
  )
}

/** For who manages a department or the company. */
function Authors() {
  const t = useTexts()
  const { data: account } = useQuery(me)
  if (!account?.can.upload_environment) return null
  return (
    <>
      <Link to="/tasks" className={styles.link}>
        <Icon name="job" />
        <span>{t.sections.tasks}</span>
      </Link>
      <Link to="/environments" className={styles.link}>
        <Icon name="archive" />
        <span>{t.sections.environments}</span>
      </Link>
      <Link to="/tables" className={styles.link}>
        <Icon name="table" />
        <span>{t.sections.tables}</span>
      </Link>
    </>
  )
}

/** For who manages the company. */
function Company() {
  const t = useTexts()
  const { data: account } = useQuery(me)
  if (account === undefined || companyPartsOf(account.role).length === 0) return null
  return (
    <Link to="/company" className={styles.link}>
      <Icon name="company" />
      <span>{t.company.title}</span>
    </Link>
  )
}

function LastRooms() {
  const t = useTexts()
  const ids = useStore(lastRooms)
  const { data: rooms = [] } = useQuery(ownRooms)
  const shown = ids.flatMap((id) => rooms.filter((room) => room.id === id))
  if (shown.length === 0) return null
  return (
    <section className={styles.last}>
      <h2 className={styles.title}>{t.lastRooms}</h2>
      {shown.map((room) => (
        <Link key={room.id} to="/chatrooms/$cid" params={{ cid: room.id }} className={styles.link}>
          <TenantText text={room.name} />
        </Link>
      ))}
    </section>
  )
}
