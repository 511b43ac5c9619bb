import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PostedMessage } from '@sandbox-jobs/contract/resources/agents/message.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import type { IdentityProvider } from '../../server/access/authentication/identity-provider.ts'
import { hashApiKey, newApiKey } from '../../server/access/keys/api-key-secret.ts'
import { AccessTokens } from '../../server/access/login/access-tokens.ts'
import type { Principal } from '../../server/access/principal.ts'
import type { Clock } from '../../server/base/clock.ts'
import type { GuardedOptions } from '../../server/base/guarded-requests/guarded-request.ts'
import { newId } from '../../server/base/ids.ts'
import { type Keys, keysFolder, openKeys } from '../../server/base/keys/keys.ts'
import { createLog } from '../../server/base/logging.ts'
import type { Database } from '../../server/db/database.ts'
import type { LogUpdates } from '../../server/live-logs/log-updates.ts'
import { createApiApp } from '../../server/main/api/api-app.ts'
import { DiskStorage } from '../../server/storage/disk.ts'
import { makeRunnableTask, type RunnableTask } from '../factories/runs.ts'
import { testReaders } from '../test-readers.ts'
import { silentLogUpdates } from './silent-log-updates.ts'

export interface AgentAppOptions {
  enabled?: boolean
  /** Free bytes of the disk below which nothing new is stored. */
  diskFloorBytes?: number
  logNews?: LogUpdates
  /** Where people and clients reach the service. */
  baseUrl?: string
  agentIdentityProvider?: IdentityProvider
  documentFetching?: GuardedOptions
  /** Another process of the same service. */
  beside?: AgentApp
}

export interface ToolAnswer {
  [field: string]: unknown
  status: 'ok' | 'error'
  error?: string
  message?: string
}

/** The whole API with a clock that a test moves, called by people, gateways and agents. */
export class AgentApp {
  readonly folder: string
  readonly storage: DiskStorage
  readonly keys: Keys
  readonly clock: Clock
  readonly app: ReturnType<typeof createApiApp>
  readonly #db: Database
  readonly #tokens: AccessTokens
  #aheadMs = 0

  constructor(
    db: Database,
    {
      enabled = true,
      diskFloorBytes,
      logNews = silentLogUpdates,
      baseUrl = 'http://sandbox.test',
      agentIdentityProvider,
      documentFetching,
      beside,
    }: AgentAppOptions = {},
  ) {
    this.#db = db
    this.folder = beside?.folder ?? mkdtempSync(join(tmpdir(), 'sandbox-test-agents-'))
    this.clock = { now: () => new Date(Date.now() + this.#aheadMs) }
    this.storage = new DiskStorage(join(this.folder, 'objects'))
    const log = createLog('test', 'silent')
    this.app = createApiApp({
      db,
      logNews,
      log,
      clock: this.clock,
      agentIdentityProvider,
      documentFetching,
      readers: testReaders(log),
      storage: new DiskStorage(join(this.folder, 'objects'), diskFloorBytes),
      config: {
        dataDir: this.folder,
        deployment: 'onprem',
        enabled,
        baseUrl,
        runSlots: 16,
        trustedProxies: [],
        reservedRunSlots: undefined,
        sandboxMemoryMib: 2 ** 20,
        runtimes: ['crun'],
        runtimeEgress: true,
        registry: undefined,
        publicRegistries: true,
        accessTokenSeconds: 86_400,
      },
    })
    this.keys = openKeys(keysFolder(this.folder))
    this.#tokens = new AccessTokens({
      keys: this.keys.tokens,
      clock: this.clock,
      issuer: this.keys.deployment,
      lifetimeSeconds: 86_400,
    })
  }

  async close(): Promise<void> {
    await this.app.close()
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** Later times are later for every part of the service but the database. */
  advanceSeconds(seconds: number): void {
    this.#aheadMs += seconds * 1000
  }

  async login({ companyId, principalId: userId }: Principal): Promise<Record<string, string>> {
    return { authorization: `Bearer ${await this.#tokens.sign({ companyId, userId, generation: 1 })}` }
  }

  /** A full-scope key of the person, or one of sandbox scope for the given rooms. */
  async key({ companyId, principalId }: Principal, roomIds: string[] = []): Promise<Record<string, string>> {
    const text = newApiKey()
    const pepper = this.keys.peppers.present()
    await this.#db
      .insertInto('api_keys')
      .values({
        id: newId('apiKey'),
        company_id: companyId,
        owner_user_id: principalId,
        name: 'test',
        key_hash: hashApiKey(pepper.key, text),
        pepper: pepper.number,
        scope: roomIds.length > 0 ? 'sandbox' : 'full',
        allowed_chatroom_ids: roomIds,
        domains: ['*'],
      })
      .execute()
    return { 'x-api-key': text }
  }

  async send(
    route: Route,
    headers: Record<string, string>,
    call: { params?: Record<string, string>; query?: Record<string, string>; body?: unknown } = {},
  ) {
    const url = route.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => call.params?.[name] ?? '')
    const response = await this.app.inject({
      method: route.method,
      url,
      query: call.query ?? {},
      headers: { ...headers, ...(call.body !== undefined && { 'content-type': 'application/json' }) },
      ...(call.body !== undefined && { payload: JSON.stringify(call.body) }),
    })
    return { status: response.statusCode, body: response.json() as Record<string, unknown> }
  }

  /** A message of a person in a room. */
  async post(person: Principal, cid: string, text = 'Please run the report.'): Promise<PostedMessage> {
    const headers = await this.login(person)
    const { status, body } = await this.send(allRoutes.postMessage, headers, {
      params: { cid },
      body: { text },
    })
    if (status !== 200) throw new Error(`post: ${status} ${JSON.stringify(body)}`)
    return body as unknown as PostedMessage
  }

  async tool(
    turn: Pick<PostedMessage, 'turn_context'>,
    name: string,
    parameters: unknown = {},
  ): Promise<ToolAnswer> {
    const headers = { 'x-turn-context': turn.turn_context }
    const call = { params: { tool: name }, body: parameters }
    const { status, body } = await this.send(allRoutes.callAgentTool, headers, call)
    if (status !== 200) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`)
    return body as ToolAnswer
  }

  /** A task that is shared to the company and enabled in the room, whose agent loads the tools. */
  async offer(
    room: { companyId: string; roomId: string },
    fields: Record<string, unknown> = {},
  ): Promise<RunnableTask> {
    const task = await makeRunnableTask(this.#db, room.companyId, fields)
    await this.#db
      .updateTable('chatrooms')
      .set({ jobs: ['sandbox'] })
      .where('id', '=', room.roomId)
      .execute()
    await this.#db
      .insertInto('bindings')
      .values({
        id: `bnd_${task.taskId.slice(4)}`,
        company_id: room.companyId,
        chatroom_id: room.roomId,
        task_id: task.taskId,
        task_version_id: task.versionId,
        generation: 1,
        share_generation: 1,
        target_authority_generation: 1,
        state: 'enabled',
        accepted_at: new Date(),
      })
      .execute()
    return task
  }
}
