import { extensionRoutes } from '@sandbox-jobs/contract/routes/extension-routes.ts'
import { settingsRoutes } from '@sandbox-jobs/contract/routes/settings-routes.ts'
import {
  readSettings,
  type SettingsContext,
  updateSettings,
} from '../../../companies/settings/settings-service.ts'
import { readStorageUse } from '../../../companies/storage/storage-quota.ts'
import type { Mount } from '../../mount.ts'

/** Settings of the caller's company (contract part 2, "Company settings"). */
export function mountSettingsRoutes(mount: Mount, context: SettingsContext): void {
  mount(settingsRoutes.readSettings, ({ principal }) => readSettings(context, principal))
  mount(extensionRoutes.readStorageUse, ({ principal }) => readStorageUse(context.db, principal))
  mount(settingsRoutes.updateSettings, ({ principal, body }) => updateSettings(context, principal, body))
}
