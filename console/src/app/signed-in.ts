import { type ProviderProblem, providerProblems } from '@sandbox-jobs/contract/provider-sign-in.ts'
import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, redirect } from '@tanstack/react-router'
import { isSignInMissing } from '../data/api/queries.ts'
import { me } from '../data/person/me.ts'
import { NotFoundPage } from '../screens/not-found/not-found-page.tsx'
import { SignInPage } from '../screens/sign-in/sign-in-page.tsx'
import { Shell } from './shell.tsx'

interface Context {
  queries: QueryClient
}

export const root = createRootRouteWithContext<Context>()({ notFoundComponent: NotFoundPage })

/** Only addresses of this console: a link must not lead elsewhere after the sign-in. */
const ownPath = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\/(?![/\\])/.test(value) ? value : undefined

export const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: SignInPage,
  validateSearch: (search): { return?: string; problem?: ProviderProblem } => {
    const after = ownPath(search.return)
    const problem = providerProblems.find((known) => known === search.problem)
    return { ...(after !== undefined && { return: after }), ...(problem && { problem }) }
  },
})

/** Every screen for which a person signs in. */
export const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    try {
      await context.queries.ensureQueryData(me)
    } catch (error) {
      if (isSignInMissing(error)) redirect({ to: '/sign-in', search: { return: location.href }, throw: true })
      // The screens say what has failed, and try again.
    }
  },
})
