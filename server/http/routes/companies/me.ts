import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { type MeServices, readMe } from '../../../access/directory/me.ts'
import type { Mount } from '../../mount.ts'

export function mountMeRoutes(mount: Mount, services: MeServices): void {
  mount(allRoutes.readMe, ({ principal }) => readMe(services, principal))
}
