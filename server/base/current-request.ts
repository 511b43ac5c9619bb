import { AsyncLocalStorage } from 'node:async_hooks'

/** The one who acts, for the audit log: field names as in its entries. Ids and names alone, never a value of a tenant. */
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

/** The owner of work that uses the database, and how much of it waits for a connection or has one now. */
export interface DatabaseUse {
  /** A company, or everybody who is not known yet. */
  owner: string
  atDatabase: number
}

interface CurrentRequest {
  id?: string
  acting?: Acting
  /** `acting` as JSON, made at its first use. */
  audit?: string
  /** Ids of the runs that it has queued, also those of a transaction that was rolled back. */
  queuedRuns?: string[] | undefined
  /** Undefined: the service's own work. */
  use?: DatabaseUse | undefined
}

/** Owner of the work of all whose company is not known. */
const strangers = 'strangers'

const requests = new AsyncLocalStorage<CurrentRequest>()

/**
 * Runs the work of a request: every log line that is written on its behalf has the id as `request`. With `acting`, the
 * audit log names who acts in each change that the work makes.
 */
export function inRequest<T>(id: string, work: () => T, acting?: Acting): T {
  const { use = useOf(strangers), queuedRuns } = requests.getStore() ?? {}
  const request = { id, use, queuedRuns }
  return requests.run(acting ? { ...request, acting: { ...acting, request_id: id } } : request, work)
}

const useOf = (owner: string): DatabaseUse => ({ owner, atDatabase: 0 })

/** A new request, as a function that runs each part of its work. */
export function newRequest(id: string): <T>(work: () => T) => T {
  const request = { id, use: useOf(strangers), queuedRuns: [] }
  return (work) => requests.run(request, work)
}

/** Runs work for a company outside of requests: its use of the database is the company's. */
export const onBehalfOf = <T>(companyId: string, work: () => T): T =>
  requests.run({ ...requests.getStore(), use: useOf(companyId) }, work)

/** Names the company of the current request: its use of the database is the company's from then on. */
export function nameCompany(companyId: string): void {
  const use = requests.getStore()?.use
  if (use) use.owner = companyId
}

export const currentDatabaseUse = (): DatabaseUse | undefined => requests.getStore()?.use

/** Counts as use of the database until the work ends, which waits for other work of the same company at the database. */
export async function atDatabase<T>(work: () => Promise<T>): Promise<T> {
  const use = currentDatabaseUse()
  if (!use) return work()
  use.atDatabase += 1
  try {
    return await work()
  } finally {
    use.atDatabase -= 1
  }
}

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

/** The one who acts now, as JSON; empty: the service itself. */
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

/** Records that the current request has queued a run. Does nothing outside of requests. */
export function noteQueuedRun(id: string): void {
  requests.getStore()?.queuedRuns?.push(id)
}

/** The runs of the current request, which grow until it has ended. */
export const queuedRuns = (): readonly string[] => requests.getStore()?.queuedRuns ?? []
