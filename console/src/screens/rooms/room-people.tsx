import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { apiPages } from '../../data/api/queries.ts'
import { MoreButton } from '../../parts/more-button.tsx'
import { Panel } from '../../parts/panel.tsx'
import rows from '../../parts/row-list.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './rooms.module.css'

const shownPeople = 20

/** Those who are in a room, and who of them manages it. */
export function RoomPeople({ cid }: { cid: string }) {
  const t = useTexts().room
  const query = useInfiniteQuery(
    apiPages(allRoutes.listRoomPeople, { params: { cid }, query: { page_size: shownPeople } }),
  )
  return (
    <section className={styles.part}>
      <h2>{t.people}</h2>
      <Panel query={query} rows={2} empty={({ pages }) => pages[0]?.items.length === 0 && t.nobody}>
        {({ pages }) => (
          <>
            <ul>
              {pages
                .flatMap(({ items }) => items)
                .map(({ id, display_name, manages }) => (
                  <li key={id} className={rows.detail}>
                    <TenantText text={display_name} />
                    {manages && <span>{t.managesRoom}</span>}
                  </li>
                ))}
            </ul>
            <MoreButton query={query} />
          </>
        )}
      </Panel>
    </section>
  )
}
