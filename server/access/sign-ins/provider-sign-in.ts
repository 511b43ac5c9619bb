import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { networkOf } from '../../base/addresses/network-of.ts'
import { nameActor } from '../../base/current-request.ts'
import { newToken } from '../../base/ids.ts'
import type { SignedTokens } from '../../base/keys/signed-tokens.ts'
import { SharedSlots } from '../../fairness/shared-slots.ts'
import { findLogin, type UserCredential } from '../authentication/credential-store.ts'
import { loginIn } from '../authentication/identity-provider.ts'
import { tokenCookie } from '../authentication/token-cookie.ts'
import { isLogin } from '../login/logins.ts'
import type { OpenIdProof, OpenIdProvider } from './openid-provider.ts'
import { ProviderFailure } from './provider-failure.ts'
import { createSignIn, type SignInFrom, type SignInServices } from './sign-ins.ts'

/*
 * A sign-in at the identity provider. The service keeps nothing of one that has started: the browser has it, in a signed cookie, and the
 * provider sends the browser back with the state of that cookie. So an address that somebody else made signs nobody in. The provider says
 * who it is; the directory says whether and as whom they are in.
 */

export interface ProviderSignInServices extends SignInServices {
  provider: OpenIdProvider
  signed: SignedTokens
}

interface StartedSignIn extends OpenIdProof {
  /** Path of the screen below `/console` that the person wants. */
  after: string
}

const startMaxSeconds = 600

/** `Lax`: the provider sends the browser here. */
export const startCookie = tokenCookie('__Host-sandbox-provider', startMaxSeconds, {
  sameSite: 'Lax',
  form: '[\\w.-]{1,3072}',
})

/** Sign-ins that wait for the provider, by the network of the browser: one that hangs holds those of its own network alone. */
const waiting = new SharedSlots({ all: 32, each: 8, assuredEach: 1 })

const inSlot = <Result>(address: string, work: () => Promise<Result>): Promise<Result> =>
  waiting.within(networkOf(address), () => new ProviderFailure('busy', 'busy'), work)

/** Where the browser goes, and the cookie that it comes back with. */
export async function startAtProvider(
  { provider, signed, clock }: ProviderSignInServices,
  { after, address }: { after: string; address: string },
): Promise<{ location: string; cookie: string }> {
  const started: StartedSignIn = { state: newToken(), nonce: newToken(), verifier: newToken(), after }
  const location = await inSlot(address, () => provider.authorizationAddress(started))
  const until = new Date(clock.now().getTime() + startMaxSeconds * 1000)
  return { location, cookie: startCookie.signIn(signed.sign('provider-sign-in', started, until)) }
}

/** A user whom the provider has named, who signs in with the hash of a state. */
export interface Named {
  user: UserCredential
  stateHash: Buffer
  after: string
}

/** Whom the provider names to a browser that it sent back, and where the person wanted to go. */
export async function namedByProvider(
  services: ProviderSignInServices,
  headers: IncomingHttpHeaders,
  { query, address }: { query: Record<string, unknown>; address: string },
): Promise<Named> {
  const started = startedIn(services, headers)
  if (typeof query.state !== 'string' || !areEqual(query.state, started.state))
    throw new ProviderFailure('expired', 'state')
  const { provider, db } = services
  const { issuer, loginClaim } = provider.settings
  // RFC 9207: a code of another provider is not redeemed at this one.
  if (query.iss !== undefined && query.iss !== issuer) throw new ProviderFailure('refused', 'iss')
  if (query.error !== undefined || typeof query.code !== 'string')
    throw new ProviderFailure('refused', 'denied')
  const { code } = query
  const claims = await inSlot(address, () => provider.claimsOf(code, started))
  const login = loginIn(claims, loginClaim)
  const user = login !== undefined && isLogin(login) ? await findLogin(db, login) : undefined
  if (!user || user.disabled_at) throw new ProviderFailure('unknown', 'not_in_directory')
  return { user, stateHash: hashOf(started.state), after: started.after }
}

/** Signs in whom the provider has named; returns the token of the cookie. */
export async function signInNamed(
  services: SignInServices,
  { user, stateHash }: Named,
  from: SignInFrom,
): Promise<string> {
  nameActor({ actor_type: 'user', actor_id: user.id })
  const { token } = await createSignIn(services, user, from, stateHash)
  return token
}

function startedIn({ signed }: ProviderSignInServices, headers: IncomingHttpHeaders): StartedSignIn {
  const token = startCookie.tokenOf(headers)
  const read = token === undefined ? undefined : signed.read<StartedSignIn>('provider-sign-in', token)
  if (!read || 'refused' in read) throw new ProviderFailure('expired', 'no_cookie')
  return read.claims
}

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest()

const areEqual = (one: string, other: string): boolean => timingSafeEqual(hashOf(one), hashOf(other))
