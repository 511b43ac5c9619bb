import { providerStartPath } from '@sandbox-jobs/contract/provider-sign-in.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { apiQuery } from '../api/queries.ts'

/** The identity provider at which people may sign in; 404 where there is none. */
export const signInProvider = apiQuery(allRoutes.readSignInProvider, {})

/** The address at which the browser begins there, with the path of the screen to come back to. */
export const startAtProvider = (after: string): string =>
  `${providerStartPath}?${new URLSearchParams({ return: after })}`
