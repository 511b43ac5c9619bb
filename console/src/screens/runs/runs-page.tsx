import { useNavigate, useSearch } from '@tanstack/react-router'
import { Page } from '../../parts/page.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { FilterBar } from './filter-bar.tsx'
import { readFilters } from './filters.ts'
import { FoundRuns } from './found-runs.tsx'

/** The runs of all rooms that the person sees. */
export function RunsPage() {
  const t = useTexts()
  const filters = useSearch({ from: '/signed-in/runs' })
  const navigate = useNavigate({ from: '/runs' })
  return (
    <Page title={t.runs.title}>
      <FilterBar
        filters={filters}
        hasRooms
        onChange={(changed) => void navigate({ search: readFilters({ ...changed }), replace: true })}
      />
      <FoundRuns filters={filters} hasRooms />
    </Page>
  )
}
