import type { RequestParts } from '../../contract/client/request.ts'
import type { EnvironmentVersion, Lists, Operations, RunDetail, Streams } from './api.ts'
import { follow } from './follow.ts'
import { type OperationName, operations } from './operations.ts'
import { itemsOf } from './pages.ts'
import type { RetryOptions } from './retries.ts'
import { call, type Transport } from './send.ts'
import { type WaitOptions, waitForEnd, waitForVersion } from './waits.ts'

export interface SandboxOptions {
  /** Address of the service, such as `https://sandbox.example.com`; it may have a path. */
  baseUrl: string
  /** API key. */
  apiKey?: string | undefined
  /** Token of createToken; used without an API key. */
  token?: string | undefined
  retry?: RetryOptions
  fetch?: typeof fetch
}

/** Every operation of the API as a method, and what goes over several requests. */
export interface Sandbox extends Operations {
  /** Every item of a list, page after page: `for await (const run of sandbox.items('listRuns', { params }))`. */
  items<Name extends keyof Lists>(
    name: Name,
    ...options: Parameters<Operations[Name]>
  ): AsyncGenerator<Lists[Name], void>
  /** The events of a stream until its end, over as many connections as it takes. */
  follow<Name extends keyof Streams>(
    name: Name,
    ...options: Parameters<Operations[Name]>
  ): AsyncGenerator<Streams[Name], void>
  /** Waits until a run has ended, whichever way. */
  waitForEnd(params: { cid: string; rid: string }, options?: WaitOptions): Promise<RunDetail>
  /** Waits until the build of an environment version is over. */
  waitForVersion(params: { id: string; vid: string }, options?: WaitOptions): Promise<EnvironmentVersion>
}

export function createSandbox(options: SandboxOptions): Sandbox {
  const transport: Transport = {
    baseUrl: options.baseUrl,
    credentials: credentialsOf(options),
    fetch: options.fetch ?? fetch,
    retry: options.retry ?? {},
  }
  const calls = Object.fromEntries(
    (Object.keys(operations) as OperationName[]).map((name) => [
      name,
      (parts?: RequestParts) => call(transport, name, parts),
    ]),
  ) as unknown as Operations
  return {
    ...calls,
    items: (name: OperationName, parts?: RequestParts) => itemsOf(transport, name, parts),
    follow: (name: OperationName, parts?: RequestParts) => follow(transport, name, parts),
    waitForEnd: (params, wait) => waitForEnd(transport, params, wait),
    waitForVersion: (params, wait) => waitForVersion(transport, params, wait),
  } as Sandbox
}

function credentialsOf({ apiKey, token }: SandboxOptions): Record<string, string> {
  if (apiKey !== undefined) return { 'x-api-key': apiKey }
  return token === undefined ? {} : { authorization: `Bearer ${token}` }
}
