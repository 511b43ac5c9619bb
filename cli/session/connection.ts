import { CliError, exitCodes } from '../failure.ts'
import type { Credentials } from './credentials-file.ts'

/** Options of every command that calls the service. */
export interface ConnectionOptions {
  url?: string
  token?: string
  apiKey?: string
  json?: boolean
}

export interface Connection {
  url: string
  token?: string
  apiKey?: string
}

const defaultUrl = 'http://127.0.0.1:8080'

/**
 * The address and credentials: options take precedence over variables, and variables over the stored login.
 * Credentials on one level hide all credentials of lower levels.
 */
export function chooseConnection(
  options: ConnectionOptions,
  environment: NodeJS.ProcessEnv,
  stored: Credentials,
): Connection {
  const url = normalUrl(options.url ?? (environment.SANDBOX_URL || stored.url || defaultUrl))
  if (options.token !== undefined && options.apiKey !== undefined) {
    throw new CliError('--token and --api-key cannot be combined.', {
      hint: 'Use one of them.',
      code: 'cli_usage',
      exitCode: exitCodes.usage,
    })
  }
  if (options.apiKey !== undefined) return { url, apiKey: options.apiKey }
  if (options.token !== undefined) return { url, token: options.token }
  if (environment.SANDBOX_API_KEY) return { url, apiKey: environment.SANDBOX_API_KEY }
  const token = environment.SANDBOX_TOKEN || stored.logins[url]?.token
  return token ? { url, token } : { url }
}

/** One spelling per address, so that a stored login is found again. */
export function normalUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new CliError(`Not an address of a service: ${text}`, {
      hint: `An address looks like ${defaultUrl}, without user and password.`,
      code: 'cli_usage',
      exitCode: exitCodes.usage,
    })
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}
