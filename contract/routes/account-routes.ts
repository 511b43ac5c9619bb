import { Me } from '../resources/access/me.ts'
import { PublicKey } from '../resources/access/public-key.ts'
import { Token, TokenRequest } from '../resources/access/token.ts'
import { ProfileSet } from '../resources/environments/profile.ts'
import { RegionSet } from '../resources/environments/region.ts'
import { publicModelKeyPrefix, publicSandboxPrefix, sandboxPrefix } from './prefixes.ts'
import { route } from './route.ts'

const open = { method: 'GET', tag: 'Public' } as const

/** Public information, login, and the caller's own account (contract part 2, "Public routes"; part 3, D1 and D5). */
export const accountRoutes = {
  listRegions: route({
    action: 'deployment.read',
    ...open,
    path: `${publicSandboxPrefix}/regions`,
    summary: 'List the regions of the deployment',
    description:
      'Every code that `build_region` and `allowed_regions` may name. An on-premises deployment has exactly one region, `onprem`.',
    response: RegionSet,
    errors: [],
  }),
  listProfiles: route({
    action: 'deployment.read',
    ...open,
    path: `${publicSandboxPrefix}/profiles`,
    summary: 'List the resource profiles',
    description:
      'Processors, memory and disk that a run gets, by the name that an environment version chooses.',
    response: ProfileSet,
    errors: [],
  }),
  readPublicKey: route({
    action: 'deployment.read',
    ...open,
    path: `${publicModelKeyPrefix}/public_key`,
    summary: 'Read the public key with which clients encrypt secrets for the service',
    description:
      'Wrap a random AES-256 key with it to send a secret, see `EncryptedValue`. The service alone has the private key.',
    response: PublicKey,
    errors: ['public_key_unavailable'],
  }),
  createToken: route({
    action: 'login.create',
    ...open,
    method: 'POST',
    path: '/public/auth/token',
    summary: 'Log in with login name and password; both wrong and unknown ones answer 418',
    description:
      'The password grant of OAuth 2.0, as a form. Send the token as `Authorization: Bearer` until it expires.',
    body: TokenRequest,
    bodyKind: 'form',
    response: Token,
    errors: ['login_rate_limited'],
    plainErrors: ['no_credentials'],
  }),
  readMe: route({
    action: 'me.read',
    tag: 'Capabilities',
    method: 'GET',
    path: `${sandboxPrefix}/me`,
    summary: 'Read the account of the caller and its permissions',
    description:
      'The identity of the caller, and which parts of a user interface make sense for it. Every request is checked again.',
    response: Me,
    errors: [],
  }),
}
