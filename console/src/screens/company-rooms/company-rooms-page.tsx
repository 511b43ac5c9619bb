import type { Chatroom } from '@sandbox-jobs/contract/resources/companies/chatroom.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { companyRooms, departments } from '../../data/company/directory.ts'
import { Button } from '../../parts/button.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Panel } from '../../parts/panel.tsx'
import rowLink from '../../parts/row-link.module.css'
import table from '../../parts/table.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from '../company/company.module.css'
import { CompanyPage } from '../company/company-page.tsx'
import { FilteredList } from '../company/filtered-list.tsx'
import { NewRoom } from './new-room.tsx'

/** Every room of the company. */
export function CompanyRoomsPage() {
  const t = useTexts()
  const list = useQuery(companyRooms)
  const [isCreating, setIsCreating] = useState(false)
  return (
    <CompanyPage
      part="chatrooms"
      actions={
        <Button icon="plus" onPress={() => setIsCreating(true)}>
          {t.companyRooms.create}
        </Button>
      }
    >
      <Panel query={list} rows={4} empty={(all) => all.length === 0 && t.companyRooms.none}>
        {(all) => (
          <FilteredList items={all} textOf={({ name }) => name}>
            {(shown) => <RoomTable rooms={shown} />}
          </FilteredList>
        )}
      </Panel>
      {isCreating && <NewRoom onClose={() => setIsCreating(false)} />}
    </CompanyPage>
  )
}

function RoomTable({ rooms }: { rooms: readonly Chatroom[] }) {
  const t = useTexts()
  const { data: all = [] } = useQuery(departments)
  const names = new Map(all.map(({ id, name }) => [id, name]))
  return (
    <table className={table.table}>
      <thead>
        <tr>
          <th scope="col">{t.company.name}</th>
          <th scope="col">{t.companyRooms.department}</th>
          <th scope="col" className={styles.wide}>
            {t.company.since}
          </th>
        </tr>
      </thead>
      <tbody>
        {rooms.map((room) => (
          <tr key={room.id} className={rowLink.row}>
            <td>
              <Link to="/company/chatrooms/$cid" params={{ cid: room.id }} className={rowLink.link}>
                <TenantText text={room.name} />
              </Link>
            </td>
            <td>
              <TenantText text={names.get(room.department_id) ?? ''} />
            </td>
            <td className={`${styles.wide} ${table.number}`}>
              <Moment at={room.created_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
