import { providerStartPath } from '@sandbox-jobs/contract/provider-sign-in.ts'

/** Name of the identity provider at which people may sign in, as the page has it from the service; undefined where there is none. */
export const signInProvider = (): string | undefined => document.documentElement.dataset.provider

/** The address at which the browser begins there, with the path of the screen to come back to. */
export const startAtProvider = (after: string): string =>
  `${providerStartPath}?${new URLSearchParams({ return: after })}`
