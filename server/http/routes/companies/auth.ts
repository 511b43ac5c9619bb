import { TokenRequest } from '@sandbox-jobs/contract/resources/access/token.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { type LoginServices, logIn } from '../../../access/login/login.ts'
import type { AddressRange } from '../../../base/addresses/address-range.ts'
import type { Mount } from '../../mount.ts'
import { clientAddress } from '../../requests/client-address.ts'
import { validatorOf } from '../../validation/validation.ts'

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
