import { AsyncLocalStorage } from 'node:async_hooks'

const requests = new AsyncLocalStorage<string>()

/** Runs the work of a request: every log line that is written on its behalf has the id as `request`. */
export const inRequest = <T>(id: string, work: () => T): T => requests.run(id, work)

/** The fields that a log line gets from the request that it is written for; none outside of one. */
export function requestFields(): { request?: string } {
  const request = requests.getStore()
  return request === undefined ? {} : { request }
}
