import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { type PublicKeyServices, readPublicKey } from '../../../access/authentication/public-key.ts'
import type { Mount } from '../../mount.ts'

export function mountPublicKeyRoute(mount: Mount, services: PublicKeyServices): void {
  mount(allRoutes.readPublicKey, () => readPublicKey(services))
}
