import { CompanySettings, CompanySettingsUpdate } from '../resources/company-settings.ts'
import { sandboxPrefix } from './prefixes.ts'
import { route } from './route.ts'

const settings = {
  tag: 'Settings',
  access: 'tenant',
  restrictedKey: 403,
  path: `${sandboxPrefix}/settings`,
  plainErrors: ['role_too_low'],
} as const

/** Settings of the caller's company, for its managers (contract part 2, "Company settings"). */
export const settingsRoutes = {
  readSettings: route({
    ...settings,
    method: 'GET',
    summary: 'Read the settings of the company',
    response: CompanySettings,
    errors: [],
  }),
  updateSettings: route({
    ...settings,
    method: 'PUT',
    summary: 'Replace the settings, if nobody has since policy_version was read',
    body: CompanySettingsUpdate,
    response: CompanySettings,
    errors: ['policy_version_conflict'],
  }),
}
