import { CompanySettings, CompanySettingsUpdate } from '../resources/companies/company-settings.ts'
import { sandboxPrefix } from './prefixes.ts'
import { route } from './route.ts'

const settings = {
  action: 'settings.manage',
  tag: 'Settings',
  path: `${sandboxPrefix}/settings`,
  plainErrors: ['role_too_low'],
} as const

/** Settings of the caller's company, for its managers (contract part 2, "Company settings"). */
export const settingsRoutes = {
  readSettings: route({
    ...settings,
    method: 'GET',
    summary: 'Read the settings of the company',
    description: 'The writable settings, and limits that the operator decides.',
    response: CompanySettings,
    errors: [],
  }),
  updateSettings: route({
    ...settings,
    method: 'PUT',
    summary: 'Replace the settings if policy_version is still the current one',
    description:
      'All four fields are required. If someone else was faster, the answer is 409 `policy_version_conflict`: read them again.',
    body: CompanySettingsUpdate,
    response: CompanySettings,
    errors: ['policy_version_conflict'],
  }),
}
