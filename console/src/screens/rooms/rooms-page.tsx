import type { RoomOverview } from '@sandbox-jobs/contract/resources/runs/room-overview.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { useAction } from '../../app/actions.ts'
import { roomOverviews } from '../../data/rooms/rooms.ts'
import cards from '../../parts/card.module.css'
import { Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './rooms.module.css'

const filterFrom = 8

export function RoomsPage() {
  const t = useTexts()
  const rooms = useQuery(roomOverviews)
  return (
    <Page title={t.rooms.title}>
      <Panel query={rooms} rows={4} empty={(all) => all.length === 0 && t.rooms.none}>
        {(all) => <FilteredRooms all={all} />}
      </Panel>
    </Page>
  )
}

function FilteredRooms({ all }: { all: readonly RoomOverview[] }) {
  const t = useTexts()
  const [typed, setTyped] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const isLong = all.length >= filterFrom
  useAction('search', () => field.current?.focus(), isLong)
  const shown = all.filter(({ name }) => name.toLowerCase().includes(typed.trim().toLowerCase()))
  return (
    <>
      {isLong && (
        <input
          ref={field}
          type="search"
          className={styles.filter}
          aria-label={t.rooms.filter}
          placeholder={t.rooms.filter}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
      {shown.length === 0 && <p>{t.rooms.noneMatches}</p>}
      <ul className={cards.grid}>
        {shown.map((room) => (
          <RoomCard key={room.id} room={room} />
        ))}
      </ul>
    </>
  )
}

function RoomCard({ room }: { room: RoomOverview }) {
  const t = useTexts()
  return (
    <li className={cards.card}>
      <Link to="/chatrooms/$cid" params={{ cid: room.id }} className={cards.link}>
        <TenantText text={room.name} />
      </Link>
      <p className={cards.tags}>
        <TenantText text={room.department_name} />
        {room.manages && <span>{t.rooms.manages}</span>}
      </p>
      <p className={cards.tags}>
        <span>{t.rooms.jobs(room.jobs)}</span>
        {room.running > 0 && (
          <span className={styles.live} data-tone="accent">
            {t.rooms.running(room.running)}
          </span>
        )}
        {room.queued > 0 && <span>{t.rooms.waiting(room.queued)}</span>}
        {room.last_run_at && (
          <span>
            {t.rooms.lastRun} <Moment at={room.last_run_at} />
          </span>
        )}
      </p>
    </li>
  )
}
