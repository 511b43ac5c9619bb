import { useQuery } from '@tanstack/react-query'
import { Navigate, Outlet, useMatchRoute } from '@tanstack/react-router'
import { companyParts, companyPartsOf } from '../../data/company/company-parts.ts'
import { me } from '../../data/person/me.ts'
import { Panel } from '../../parts/panel.tsx'
import { NotFoundPage } from '../not-found/not-found-page.tsx'

/** The frame of all screens of the company: a part that the person may not see is not there. */
export function CompanyScreen() {
  const matchRoute = useMatchRoute()
  const account = useQuery(me)
  if (account.data === undefined) return <Panel query={account}>{() => null}</Panel>
  const seen = companyPartsOf(account.data.role)
  const part = companyParts.find((each) => matchRoute({ to: `/company/${each}`, fuzzy: true }))
  const isSeen = part === undefined ? seen.length > 0 : seen.includes(part)
  return isSeen ? <Outlet /> : <NotFoundPage />
}

/** Leads to the first part that the person may see. */
export function CompanyHome() {
  const { data: account } = useQuery(me)
  const [first] = account ? companyPartsOf(account.role) : []
  return first === undefined ? null : <Navigate to={`/company/${first}`} replace />
}
