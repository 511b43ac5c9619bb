import { TokenRequest } from '@sandbox-jobs/contract/resources/token.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { type LoginServices, logIn } from '../../platform/login.ts'
import type { Mount } from '../mount.ts'
import { checkOf } from '../validation.ts'

export function mountAuthRoutes(mount: Mount, services: LoginServices): void {
  const checkForm = checkOf('body', TokenRequest)

  mount(allRoutes.createToken, async ({ body, request }) => {
    checkForm(body)
    return logIn(services, { username: body.username, password: body.password, client: request.ip })
  })
}
