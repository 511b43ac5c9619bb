import { profiles } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import { type Deployment, regionsOf } from '@sandbox-jobs/contract/resources/environments/region.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Mount } from '../../mount.ts'

export function mountPublicInfoRoutes(mount: Mount, services: { deployment: Deployment }): void {
  mount(allRoutes.listRegions, async () => ({ items: regionsOf(services.deployment) }))
  mount(allRoutes.listProfiles, async () => ({ items: [...profiles] }))
}
