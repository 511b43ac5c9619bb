import { Me } from '../resources/me.ts'
import { ProfileSet } from '../resources/profile.ts'
import { PublicKey } from '../resources/public-key.ts'
import { RegionSet } from '../resources/region.ts'
import { Token, TokenRequest } from '../resources/token.ts'
import { publicModelKeyPrefix, publicSandboxPrefix, sandboxPrefix } from './prefixes.ts'
import { route } from './route.ts'

const open = { access: 'public', restrictedKey: 'allowed', method: 'GET', tag: 'Public' } as const

/** What anyone may ask, logging in, and what the caller is (contract part 2, "Public routes"; part 3, D1 and D5). */
export const accountRoutes = {
  listRegions: route({
    ...open,
    path: `${publicSandboxPrefix}/regions`,
    summary: 'List the regions of the deployment',
    response: RegionSet,
    errors: [],
  }),
  listProfiles: route({
    ...open,
    path: `${publicSandboxPrefix}/profiles`,
    summary: 'List the resource profiles',
    response: ProfileSet,
    errors: [],
  }),
  readPublicKey: route({
    ...open,
    path: `${publicModelKeyPrefix}/public_key`,
    summary: 'Read the key with which clients encrypt secrets for the service',
    response: PublicKey,
    errors: ['public_key_unavailable'],
  }),
  createToken: route({
    ...open,
    method: 'POST',
    path: '/public/auth/token',
    summary: 'Log in with login name and password; both wrong and unknown ones answer 418',
    body: TokenRequest,
    bodyKind: 'form',
    response: Token,
    errors: ['login_rate_limited'],
    plainErrors: ['no_credentials'],
  }),
  readMe: route({
    tag: 'Capabilities',
    access: 'tenant',
    restrictedKey: 403,
    method: 'GET',
    path: `${sandboxPrefix}/me`,
    summary: 'See who the caller is and what may be tried',
    response: Me,
    errors: [],
  }),
}
