import { TokenRequest } from '@sandbox-jobs/contract/resources/access/token.ts'
import { profiles } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import { type Deployment, regionsOf } from '@sandbox-jobs/contract/resources/environments/region.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { type PublicKeyServices, readPublicKey } from '../../../access/authentication/public-key.ts'
import { type MeServices, readMe } from '../../../access/directory/me.ts'
import { type LoginServices, logIn } from '../../../access/login/login.ts'
import type { AddressRange } from '../../../base/addresses/address-range.ts'
import type { Mount } from '../../mount.ts'
import { clientAddress } from '../../requests/client-address.ts'
import { validatorOf } from '../../requests/validation.ts'

export interface AuthServices extends LoginServices {
  trustedProxies: readonly AddressRange[]
}

export function mountAuthRoutes(mount: Mount, services: AuthServices): void {
  const checkForm = validatorOf('body', TokenRequest)

  mount(allRoutes.createToken, async ({ body, request }) => {
    checkForm(body)
    const client = clientAddress({ peer: request.ip, headers: request.headers }, services.trustedProxies)
    return logIn(services, { username: body.username, password: body.password, client })
  })
}

export function mountMeRoutes(mount: Mount, services: MeServices): void {
  mount(allRoutes.readMe, ({ principal }) => readMe(services, principal))
}

export function mountPublicKeyRoute(mount: Mount, services: PublicKeyServices): void {
  mount(allRoutes.readPublicKey, () => readPublicKey(services))
}

export function mountPublicInfoRoutes(mount: Mount, services: { deployment: Deployment }): void {
  mount(allRoutes.listRegions, async () => ({ items: regionsOf(services.deployment) }))
  mount(allRoutes.listProfiles, async () => ({ items: [...profiles] }))
}
