import { AsyncLocalStorage } from 'node:async_hooks'

/** Who acts, for the audit log: field names as in its entries. Ids and names alone, never a value of a tenant. */
export interface Acting {
  /** The operation: name of a route or of an operator's command. */
  action: string
  actor_type: 'user' | 'social_media_client' | 'run' | 'operator' | 'anonymous'
  actor_id: string
  api_key_id?: string | undefined
  turn_id?: string | undefined
  chatroom_id?: string | undefined
  run_id?: string | undefined
  request_id?: string | undefined
}

interface CurrentRequest {
  id?: string
  acting?: Acting
  /** `acting` as JSON, made at its first use. */
  audit?: string
}

const requests = new AsyncLocalStorage<CurrentRequest>()

/**
 * Runs the work of a request: every log line that is written on its behalf has the id as `request`. With `acting`, the
 * audit log names who acts in each change that the work makes.
 */
export const inRequest = <T>(id: string, work: () => T, acting?: Acting): T =>
  requests.run(acting ? { id, acting: { ...acting, request_id: id } } : { id }, work)

/** Runs work of somebody outside of requests, such as an operator. */
export const actingAs = <T>(acting: Acting, work: () => T): T => requests.run({ acting }, work)

/** Runs work on behalf of several requests, or of none. */
export const outsideRequests = <T>(work: () => T): T => requests.exit(work)

/** Names who acts in the current request, where the request itself did not say. Does nothing where nobody acts. */
export function nameActor(actor: Pick<Acting, 'actor_type' | 'actor_id'> & Partial<Acting>): void {
  const current = requests.getStore()
  if (!current?.acting) return
  current.acting = { ...current.acting, ...actor }
  delete current.audit
}

/** Who acts now, as JSON; empty: the service itself. */
export function currentAudit(): string {
  const current = requests.getStore()
  if (!current?.acting) return ''
  current.audit ??= JSON.stringify(current.acting)
  return current.audit
}

/** The fields that a log line gets from the request that it is written for; none outside of one. */
export function requestFields(): { request?: string } {
  const request = requests.getStore()?.id
  return request === undefined ? {} : { request }
}
