/* Signing in to the console at the identity provider: pages of the service that the browser is sent through. */

export const providerStartPath = '/public/auth/provider/start'
/** The provider sends the browser back here. */
export const providerCallbackPath = '/public/auth/provider/callback'

/** Why a sign-in at the provider came to nothing, in the address of the sign-in page as `problem`. */
export const providerProblems = [
  /** The provider does not answer as one. */
  'unreachable',
  /** It denied the sign-in, or its answer is not valid. */
  'refused',
  /** It took too long, was started in another browser or tab, or was completed before. */
  'expired',
  /** The person is nobody here. */
  'unknown',
  /** Too many sign in at once. */
  'busy',
] as const
export type ProviderProblem = (typeof providerProblems)[number]
