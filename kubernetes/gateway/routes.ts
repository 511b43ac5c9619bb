import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { isJsonObject } from '@sandbox-jobs/contract/json-object.ts'
import { ExecutorRefused } from '../../agent/port/errors.ts'
import type { RefusalCause } from '../../agent/port/refusal-causes.ts'
import type { ProgramInput } from '../../agent/port/start-input.ts'
import { podExitOf } from '../records/pod-exit.ts'
import type { RedeemRefusal, SandboxRecord, SandboxRecords } from '../records/sandbox-records.ts'
import { resultBounds } from '../results/result-bounds.ts'
import { type ResultName, type ResultStore, resultKey } from '../results/result-store.ts'
import { conflict, GatewayRefused, invalid, tooLarge, unavailable } from './gateway-errors.ts'
import { inputFrames, inputHead } from './input-bytes.ts'
import { windowBytes } from './log-window.ts'
import type { PodSession, PodSessions } from './pod-session.ts'
import { type PodTokens, TokenRefused } from './pod-tokens.ts'

export interface RouteDeps {
  records: SandboxRecords
  sessions: PodSessions
  tokens: Pick<PodTokens, 'podOf'>
  store: ResultStore
  /** Whether the container of the job has ended, as the API server knows it. */
  hasJobEnded: (id: string) => boolean
}

/** A request whose head was read. */
export interface GatewayRequest {
  id: string
  bearer: string
  query: ReadonlyMap<string, number>
  bodyBytes: number
  body: Readable
  /** Fires when the client is gone. */
  gone: AbortSignal
}

/** An answer: an object, or the bytes of an input. */
export type GatewayAnswer = Record<string, number> | AsyncIterable<Buffer>

export type Route = (deps: RouteDeps, request: GatewayRequest) => Promise<GatewayAnswer>

/** After the timeout: results are collected and sent. */
const endMs = 120_000
/** Between the redemption and the start of the program: its input is sent. */
const startMs = 180_000
const holdMs = 20_000
const smallBodyBytes = 1024
const exitBytes = 8192

/** The routes of one method and path behind the id; `K` in a path is a number. */
export const routes: Readonly<Record<string, Route>> = {
  'POST redeem': redeem,
  'POST refused': refused,
  'GET input': input,
  'POST started': started,
  'GET control': control,
  'GET job': job,
  'PUT log': putLog,
  'PUT files': async (deps, request) => putResult(deps, request, `file-${numberOf(request, 'at')}`),
  'PUT tree': (deps, request) => putResult(deps, request, 'tree'),
  'PUT tree-index': (deps, request) => putResult(deps, request, 'tree-index'),
  'PUT folder': (deps, request) => putResult(deps, request, 'folder'),
  'POST exit': exit,
}

async function redeem(deps: RouteDeps, request: GatewayRequest): Promise<GatewayAnswer> {
  const { records, sessions } = deps
  const { id } = request
  const { uid } = await podOf(deps, request)
  const credentialHash = credentialHashOf(textIn(await jsonOf(request), 'credential'))
  const record = await records.find(id)
  if (!record) throw new GatewayRefused(404, 'unknown')
  const session = sessions.find(id)
  if (record.state === 'placed') await openInput(record, session, uid)
  const validMs = (record.spec?.limits.timeoutMs ?? 0) + startMs + endMs
  const redeemed = await records.redeem(id, { podUid: uid, credentialHash, validMs })
  if (redeemed !== 'redeemed') throw refusedRedemption(redeemed)
  session?.heard()
  return { timeout_ms: record.spec?.limits.timeoutMs ?? 0 }
}

/** Opens the input at the last moment: what has changed since the start was asked for ends it here, and nothing has started. */
async function openInput(
  { spec }: SandboxRecord,
  session: PodSession | undefined,
  uid: string,
): Promise<void> {
  // Another worker has the input, or none does any more: then the id is forbidden soon.
  if (!spec || !session?.isOffered) throw unavailable()
  if (session.podUid !== undefined && session.podUid !== uid) throw new GatewayRefused(403, 'other_pod')
  const opened = session.open()
  if (!opened) throw unavailable()
  try {
    inputHead(spec, await opened)
  } catch (error) {
    session.fail(error)
    throw conflict(wordOf(error))
  }
}

/** Why an input was refused, in the words of the wire. */
const withdrawals: readonly unknown[] = ['share_grant_revoked', 'secret_missing']
const wordOf = (error: unknown): string =>
  error instanceof Error && 'slug' in error && withdrawals.includes(error.slug)
    ? String(error.slug)
    : 'withdrawn'

const refusedRedemption = (refusal: RedeemRefusal): GatewayRefused => {
  if (refusal === 'unknown') return new GatewayRefused(404, 'unknown')
  return conflict(refusal === 'other_process' ? 'already_started' : refusal)
}

const refusalsOfPods: readonly unknown[] = ['network_rules', 'host_users'] satisfies RefusalCause[]

/** The pod found that it is not confined. The start ends; who asked for it decides about the id. */
async function refused(deps: RouteDeps, request: GatewayRequest): Promise<GatewayAnswer> {
  const { uid } = await podOf(deps, request)
  const slug = textIn(await jsonOf(request), 'slug')
  if (!refusalsOfPods.includes(slug)) throw invalid()
  const record = await deps.records.find(request.id)
  if (record?.state === 'redeemed' || record?.state === 'exited') throw conflict('already_started')
  const session = deps.sessions.find(request.id)
  if (session?.podUid !== undefined && session.podUid !== uid) throw new GatewayRefused(403, 'other_pod')
  session?.fail(new ExecutorRefused(slug as RefusalCause, 'the pod of a sandbox is not confined'))
  return {}
}

async function input(deps: RouteDeps, request: GatewayRequest): Promise<GatewayAnswer> {
  const { spec } = await authorized(deps, request)
  const session = deps.sessions.of(request.id)
  const opened = session.takeInput()
  if (typeof opened === 'string') throw conflict(`input_${opened}`)
  return bytesOf(spec, await opened, session)
}

async function* bytesOf(spec: SandboxRecord['spec'], opened: ProgramInput, session: PodSession) {
  if (!spec) throw unavailable()
  yield inputHead(spec, opened)
  yield* inputFrames(opened.bytes)
  session.markInputSent()
}

async function started(deps: RouteDeps, request: GatewayRequest): Promise<GatewayAnswer> {
  await authorized(deps, request)
  deps.sessions.of(request.id).markRunning()
  return {}
}

/** Answers once it would answer something else than what the collector says that it knows. */
async function control(deps: RouteDeps, request: GatewayRequest): Promise<GatewayAnswer> {
  const known = { stop: numberOf(request, 'stop'), follow: numberOf(request, 'follow') }
  const session = deps.sessions.of(request.id)
  const late = AbortSignal.timeout(holdMs)
  for (;;) {
    const orders = await ordersOf(deps, request)
    const isNew = orders.stop !== known.stop || orders.follow !== known.follow
    if (isNew || late.aborted || request.gone.aborted) return orders
    await session.changes.next(holdMs, late, request.gone)
  }
}

async function ordersOf(deps: RouteDeps, request: GatewayRequest) {
  const { stop } = await authorized(deps, request)
  const { follow, from } = deps.sessions.of(request.id).following
  return { stop, follow, from }
}

async function job(deps: RouteDeps, request: GatewayRequest): Promise<GatewayAnswer> {
  await authorized(deps, request)
  return { terminated: deps.hasJobEnded(request.id) ? 1 : 0 }
}

/** A part for those who read it while the program runs, or at its end the whole log. */
async function putLog(deps: RouteDeps, request: GatewayRequest): Promise<GatewayAnswer> {
  if (!request.query.has('from')) return putResult(deps, request, 'log')
  await authorized(deps, request)
  if (request.bodyBytes > windowBytes) throw tooLarge()
  const bytes = await bytesIn(request)
  deps.sessions.of(request.id).takeLog(numberOf(request, 'from'), bytes)
  return ordersOf(deps, request)
}

async function putResult(deps: RouteDeps, request: GatewayRequest, name: ResultName): Promise<GatewayAnswer> {
  const { spec } = await authorized(deps, request)
  const bound = spec && resultBounds(spec).get(name)
  if (bound === undefined) throw new GatewayRefused(404, 'unknown')
  if (request.bodyBytes > bound) throw tooLarge()
  await deps.store.put(resultKey(request.id, name), request.body, { maxBytes: bound, isUnread: true })
  return {}
}

async function exit(deps: RouteDeps, request: GatewayRequest): Promise<GatewayAnswer> {
  const { id, bearer } = request
  const hash = credentialHashOf(bearer)
  const record = await deps.records.authorized(id, hash)
  if (!record?.spec) throw new GatewayRefused(401, 'credential_invalid')
  if (request.bodyBytes > exitBytes) throw tooLarge()
  const found = podExitOf(await bytesIn(request), record.spec)
  if (!found) throw invalid()
  if (!(await deps.records.exit(id, found, hash))) throw conflict('ended')
  deps.sessions.end(id)
  return {}
}

async function podOf({ tokens }: RouteDeps, { id, bearer }: GatewayRequest) {
  try {
    const pod = await tokens.podOf(bearer)
    if (pod.name.replaceAll('-', '_') !== id) throw new TokenRefused('other_pod')
    return pod
  } catch (error) {
    if (!(error instanceof TokenRefused)) throw unavailable()
    throw new GatewayRefused(error.reason === 'other_pod' ? 403 : 401, error.reason)
  }
}

/** The record of a sandbox that has not ended, for its own collector. */
async function authorized(deps: RouteDeps, { id, bearer }: GatewayRequest): Promise<SandboxRecord> {
  const record = await deps.records.authorized(id, credentialHashOf(bearer))
  if (!record) throw new GatewayRefused(401, 'credential_invalid')
  if (record.state !== 'redeemed') throw conflict('ended')
  deps.sessions.of(id).heard()
  return record
}

function credentialHashOf(text: string): Buffer {
  if (!/^[0-9a-f]{64}$/.test(text)) throw new GatewayRefused(401, 'credential_invalid')
  return createHash('sha256').update(text).digest()
}

function numberOf({ query }: GatewayRequest, name: string): number {
  const value = query.get(name)
  if (value === undefined) throw invalid()
  return value
}

async function jsonOf(request: GatewayRequest): Promise<Record<string, unknown>> {
  if (request.bodyBytes > smallBodyBytes) throw tooLarge()
  const bytes = await bytesIn(request)
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    if (isJsonObject(value)) return value
  } catch {
    // Answered below.
  }
  throw invalid()
}

function textIn(value: Record<string, unknown>, name: string): string {
  const text = value[name]
  if (typeof text !== 'string') throw invalid()
  return text
}

/** Of a body whose length was compared with a bound before. */
async function bytesIn({ body, bodyBytes }: GatewayRequest): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of body) parts.push(part as Buffer)
  const bytes = Buffer.concat(parts)
  if (bytes.length !== bodyBytes) throw invalid()
  return bytes
}
