import type { PageTokens } from '../../base/page.ts'
import type { SettingsContext } from '../../companies/settings/settings-service.ts'
import type { Mount } from '../../http/mount.ts'
import { mountAuditRoutes, mountSettingsRoutes } from '../../http/routes/companies/settings.ts'
import { auditReading } from '../../operations/audit/read-audit.ts'
import { imageUseByRun } from '../../runs/retention/image-use-statement.ts'
import { imageUseByTask, namesOfUsingTasks } from '../../tasks/versions/image-use-statement.ts'

/** Routes by which a company sets and sees itself: settings, storage, usage and its audit log. */
export function mountSettings(
  mount: Mount,
  { pages, ...context }: SettingsContext & { pages: PageTokens },
): void {
  const versionUses = { byTask: imageUseByTask, byRun: imageUseByRun, taskNames: namesOfUsingTasks }
  mountSettingsRoutes(mount, { ...context, versionUses })
  mountAuditRoutes(mount, auditReading(context.db, pages))
}
