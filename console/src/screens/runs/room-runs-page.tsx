import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useTrail } from '../../app/trail.ts'
import { useRoom } from '../../data/rooms/rooms.ts'
import { Page } from '../../parts/page.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { FilterBar } from './filter-bar.tsx'
import { type Filters, readFilters } from './filters.ts'
import { FoundRuns } from './found-runs.tsx'
import { RunCharts } from './run-charts.tsx'

/** The runs of one room. */
export function RoomRunsPage() {
  const t = useTexts()
  const { cid } = useParams({ from: '/signed-in/chatrooms/$cid/runs' })
  const filters = useSearch({ from: '/signed-in/chatrooms/$cid/runs' })
  const navigate = useNavigate({ from: '/chatrooms/$cid/runs' })
  const room = useRoom(cid)?.name ?? ''
  useTrail([
    { text: t.rooms.title, to: '/chatrooms' },
    { text: room, to: `/chatrooms/${cid}` },
  ])
  const change = (changed: Filters) => void navigate({ search: readFilters({ ...changed }), replace: true })
  return (
    <Page title={t.runs.ofRoom(room)}>
      <FilterBar filters={filters} hasRooms={false} onChange={change} />
      <RunCharts
        filters={{ ...filters, room: cid }}
        onDay={(day) => change({ ...filters, from: day, to: day })}
      />
      <FoundRuns filters={{ ...filters, room: cid }} hasRooms={false} />
    </Page>
  )
}
