import { TenantText } from '../parts/tenant-text.tsx'
import { OperatorLink } from './operator-link.tsx'

/** The name of a company, which leads to its screen. */
export const CompanyLink = ({ id, name }: { id: string; name: string }) => (
  <OperatorLink to={`/companies/${id}`}>
    <TenantText text={name} />
  </OperatorLink>
)
