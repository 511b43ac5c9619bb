import { roles } from '@sandbox-jobs/contract/resources/companies/role.ts'

/** The parts of the company's screens that exist, in the order of their links. */
export const companyParts = [
  'usage',
  'people',
  'departments',
  'chatrooms',
  'keys',
  'webhooks',
  'settings',
  'storage',
  'findings',
  'audit',
] as const
export type CompanyPart = (typeof companyParts)[number]

const ofAdministrator = [roles.company_administrator]
const ofManagers = [roles.company_manager, roles.company_administrator]
const readers: Record<CompanyPart, readonly number[]> = {
  usage: ofManagers,
  people: ofAdministrator,
  departments: ofAdministrator,
  chatrooms: ofAdministrator,
  keys: ofAdministrator,
  webhooks: ofManagers,
  settings: ofManagers,
  storage: ofManagers,
  findings: ofManagers,
  audit: [roles.auditor, roles.company_administrator],
}

/** The parts that a person of the role may see, none while the role is unknown; the service decides. */
export const companyPartsOf = (role: number | undefined): CompanyPart[] =>
  companyParts.filter((part) => role !== undefined && readers[part].includes(role))
