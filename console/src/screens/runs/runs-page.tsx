import { useNavigate, useSearch } from '@tanstack/react-router'
import { Page } from '../../parts/page.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { FilterBar } from './filter-bar.tsx'
import { type Filters, readFilters } from './filters.ts'
import { FoundRuns } from './found-runs.tsx'
import { RunCharts } from './run-charts.tsx'

/** The runs of all rooms that the person sees. */
export function RunsPage() {
  const t = useTexts()
  const filters = useSearch({ from: '/signed-in/runs' })
  const navigate = useNavigate({ from: '/runs' })
  const change = (changed: Filters) => void navigate({ search: readFilters({ ...changed }), replace: true })
  return (
    <Page title={t.runs.title}>
      <FilterBar filters={filters} hasRooms onChange={change} />
      <RunCharts filters={filters} onDay={(day) => change({ ...filters, from: day, to: day })} />
      <FoundRuns filters={filters} hasRooms />
    </Page>
  )
}
