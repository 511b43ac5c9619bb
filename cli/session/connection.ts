import { CliError, exitCodes } from '../failure.ts'
import type { Credentials } from './credentials-file.ts'

/** What the options of every command that speaks to the service hold. */
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
 * Where the service is and who calls: options before variables, and those before the stored login. Whoever names a
 * token or a key on one level gets no other from a level below.
 */
export function chooseConnection(
  options: ConnectionOptions,
  environment: NodeJS.ProcessEnv,
  stored: Credentials,
): Connection {
  const url = normalUrl(options.url ?? (environment.SANDBOX_URL || stored.url || defaultUrl))
  if (options.token !== undefined && options.apiKey !== undefined) {
    throw new CliError('--token and --api-key exclude each other.', {
      hint: 'Give one of them.',
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

/** One spelling per address, so that a login is found again. */
export function normalUrl(text: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new CliError(`Not an address of a service: ${text}`, {
      hint: `It looks like ${defaultUrl}; no user and password in it.`,
      code: 'cli_usage',
      exitCode: exitCodes.usage,
    })
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}
