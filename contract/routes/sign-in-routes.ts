import {
  SignIn,
  SignInList,
  SignInProvider,
  SignInRequest,
  SignInsEnded,
  SignInsEndRequest,
} from '../resources/access/sign-in.ts'
import { extensionPrefix } from './prefixes.ts'
import { route } from './route.ts'

const signIns = `${extensionPrefix}/sign-ins` as const
const own = { tag: 'Sign-ins', action: 'sign_in.manage' } as const

/** Sign-ins of people in browsers, by a cookie. Requests of programs have a token or a key. */
export const signInRoutes = {
  createSignIn: route({
    action: 'login.create',
    tag: 'Sign-ins',
    method: 'POST',
    path: '/public/auth/sign-in',
    summary: 'Sign in to the console with login name and password; both wrong and unknown ones answer 418',
    description:
      'The answer sets the cookie `__Host-sandbox`, with which pages of the console make requests. Only such pages can sign in: the request has `Sec-Fetch-Site: same-origin`, the `Origin` of the service, and `X-Sandbox-Console: 1`, and later requests that change something have them too. Programs use createToken.',
    body: SignInRequest,
    response: SignIn,
    errors: ['login_rate_limited', 'console_wrong_address', 'console_needs_https'],
    plainErrors: ['no_credentials'],
  }),
  readSignInProvider: route({
    action: 'deployment.read',
    tag: 'Sign-ins',
    method: 'GET',
    path: '/public/auth/provider',
    summary: 'Read the name of the identity provider at which people sign in to the console',
    description:
      'A browser begins at `/public/auth/provider/start?return=PATH`, with the path of a screen below `/console`, and comes back to that screen, signed in. 404 where the operator has configured none.',
    response: SignInProvider,
    errors: ['not_found'],
  }),
  listSignIns: route({
    ...own,
    method: 'GET',
    path: signIns,
    summary: 'List the browsers in which the caller is signed in',
    description: 'A person has at most 20; with the next one, the one that was not used for longest ends.',
    response: SignInList,
    errors: [],
  }),
  endSignIns: route({
    ...own,
    method: 'POST',
    path: `${signIns}/end`,
    summary: 'End sign-ins of the caller: sign out, here or elsewhere',
    description:
      'Their cookies are refused at once, and event streams of them end within seconds. Tokens and API keys stay good.',
    body: SignInsEndRequest,
    response: SignInsEnded,
    errors: [],
  }),
}
