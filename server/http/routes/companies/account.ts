import { TokenRequest } from '@sandbox-jobs/contract/resources/access/token.ts'
import { profiles } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import { type Deployment, regionsOf } from '@sandbox-jobs/contract/resources/environments/region.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { requireConsole, signInCookie } from '../../../access/authentication/browser-sign-in.ts'
import { type PublicKeyServices, readPublicKey } from '../../../access/authentication/public-key.ts'
import { readMe } from '../../../access/directory/me.ts'
import { type LoginServices, logIn, verifyLogin } from '../../../access/login/login.ts'
import {
  createSignIn,
  endSignIns,
  listSignIns,
  type SignInServices,
} from '../../../access/sign-ins/sign-ins.ts'
import type { AddressRange } from '../../../base/addresses/address-range.ts'
import {
  changePassword,
  type OwnAccountDeps,
  readOwnAccount,
  updatePreferences,
} from '../../../companies/account/own-account.ts'
import type { Mount } from '../../mount.ts'
import { clientAddress } from '../../requests/client-address.ts'
import { validatorOf } from '../../requests/validation.ts'

export interface AuthServices extends LoginServices, SignInServices {
  trustedProxies: readonly AddressRange[]
  /** Address of the console. */
  baseUrl: string
}

export function mountAuthRoutes(mount: Mount, services: AuthServices): void {
  const checkForm = validatorOf('body', TokenRequest)

  mount(allRoutes.createToken, async ({ body, request }) => {
    checkForm(body)
    const client = clientAddress({ peer: request.ip, headers: request.headers }, services.trustedProxies)
    return logIn(services, { username: body.username, password: body.password, client })
  })
  mountSignInRoutes(mount, services)
}

function mountSignInRoutes(mount: Mount, services: AuthServices): void {
  mount(allRoutes.createSignIn, async ({ body, request, reply }) => {
    requireConsole(request, services.baseUrl)
    const address = clientAddress({ peer: request.ip, headers: request.headers }, services.trustedProxies)
    const user = await verifyLogin(services, { ...body, client: address })
    const userAgent = request.headers['user-agent']
    const { signIn, token } = await createSignIn(services, user, { userAgent, address })
    reply.header('set-cookie', signInCookie.signIn(token))
    return signIn
  })
  mount(allRoutes.listSignIns, ({ principal }) => listSignIns(services, principal))
  mount(allRoutes.endSignIns, async ({ principal, body, reply }) => {
    const { ended, isCurrent } = await endSignIns(services, principal, body)
    if (isCurrent) reply.header('set-cookie', signInCookie.signOut)
    return { ended }
  })
}

export function mountMeRoutes(
  mount: Mount,
  services: OwnAccountDeps & Pick<AuthServices, 'trustedProxies'>,
): void {
  mount(allRoutes.readOwnAccount, ({ principal }) => readOwnAccount(services, principal))
  mount(allRoutes.updatePreferences, ({ principal, body }) => updatePreferences(services, principal, body))
  mount(allRoutes.changePassword, ({ principal, body, request }) => {
    const client = clientAddress({ peer: request.ip, headers: request.headers }, services.trustedProxies)
    return changePassword(services, principal, body, client)
  })
  mount(allRoutes.readMe, ({ principal }) => readMe(services, principal))
}

export function mountPublicKeyRoute(mount: Mount, services: PublicKeyServices): void {
  mount(allRoutes.readPublicKey, () => readPublicKey(services))
}

export function mountPublicInfoRoutes(mount: Mount, services: { deployment: Deployment }): void {
  mount(allRoutes.listRegions, async () => ({ items: regionsOf(services.deployment) }))
  mount(allRoutes.listProfiles, async () => ({ items: [...profiles] }))
}
