/*
 * Routes of the operator console. Its process has no route of tenants, and the API has none of these, so they are no part of the API
 * document.
 */
export const operatorRoutes = {
  signIn: { method: 'POST', path: '/operator/api/v1/sign-in' },
  signOut: { method: 'POST', path: '/operator/api/v1/sign-out' },
  readState: { method: 'GET', path: '/operator/api/v1/state' },
} as const

/** Set by a page that its operator used since the last request: what a page asks for by itself keeps nobody signed in. */
export const operatorUseHeader = 'x-sandbox-operator-use'
