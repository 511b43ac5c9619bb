import { useNavigate, useSearch } from '@tanstack/react-router'
import { CompanyPage } from '../company/company-page.tsx'
import { BudgetUse } from './budget-use.tsx'
import { UsageBar } from './usage-bar.tsx'
import { UsageChart } from './usage-chart.tsx'
import { readUsageFilters } from './usage-filters.ts'
import { UsageTable } from './usage-table.tsx'

/** The money and the work of the company: its budget, and what tasks, rooms, departments and people used. */
export function UsagePage() {
  const filters = useSearch({ from: '/signed-in/company/usage' })
  const navigate = useNavigate({ from: '/company/usage' })
  return (
    <CompanyPage part="usage">
      <BudgetUse />
      <UsageBar
        filters={filters}
        onChange={(changed) => void navigate({ search: readUsageFilters({ ...changed }), replace: true })}
      />
      <UsageChart filters={filters} />
      <UsageTable filters={filters} />
    </CompanyPage>
  )
}
