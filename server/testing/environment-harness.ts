import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type {
  ContextUploadComplete,
  ContextUploadInit,
} from '@sandbox-jobs/contract/resources/context-upload.ts'
import type { Environment } from '@sandbox-jobs/contract/resources/environment.ts'
import type { EnvironmentVersion } from '@sandbox-jobs/contract/resources/environment-version.ts'
import { contextUploadRoutes } from '@sandbox-jobs/contract/routes/context-upload-routes.ts'
import { environmentRoutes } from '@sandbox-jobs/contract/routes/environment-routes.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { afterAll } from 'vitest'
import { createLog } from '../base/logging.ts'
import { PageTokens } from '../base/page.ts'
import { endWaitingBuilds } from '../builds/end-waiting-builds.ts'
import type { Database } from '../db/database.ts'
import type { EnvironmentContext } from '../environments/environment-context.ts'
import { createApp } from '../http/app.ts'
import { mounter } from '../http/mount.ts'
import { mountBuildRoutes } from '../http/routes/builds.ts'
import { mountContextUploadRoutes } from '../http/routes/context-uploads.ts'
import { mountEnvironmentRoutes } from '../http/routes/environments.ts'
import { mountFindingRoutes } from '../http/routes/findings.ts'
import { mountVersionRoutes } from '../http/routes/versions.ts'
import { LogFollowers } from '../live-logs/log-followers.ts'
import { Directory } from '../platform/directory.ts'
import type { Principal } from '../platform/principal.ts'
import { DiskStorage } from '../storage/disk.ts'
import { silentLogNews } from './silent-log-news.ts'

export interface Answer<Body> {
  status: number
  body: Body
  headers: Record<string, unknown>
}

export interface CallOptions {
  params?: Record<string, string>
  query?: Record<string, string | string[]>
  body?: unknown
  /** A raw body instead of a JSON one. */
  bytes?: Buffer | Readable
  headers?: Record<string, string>
}

/** The routes of environments over HTTP, on real Postgres and a real folder, called as whoever a test names. */
export class EnvironmentHarness {
  readonly context: EnvironmentContext
  /** What is stored lies here. */
  readonly folder = mkdtempSync(join(tmpdir(), 'sandbox-test-objects-'))
  readonly app = createApp(createLog('test', 'silent'))

  constructor(db: Database) {
    this.context = {
      db,
      log: createLog('test', 'silent'),
      pageTokens: new PageTokens(randomBytes(32)),
      storage: new DiskStorage(this.folder),
      uploadCapabilityKey: randomBytes(32),
      deployment: 'onprem',
      isolations: ['standard', 'gvisor'],
      endWaitingBuilds,
      departments: new Directory(db),
    }
    const authenticate = async (headers: Record<string, unknown>) =>
      JSON.parse(String(headers['x-test-principal'])) as Principal
    const mount = mounter(this.app, { authenticate, enabled: true })
    mountEnvironmentRoutes(mount, this.context)
    mountContextUploadRoutes(mount, this.context)
    mountVersionRoutes(mount, this.context)
    mountBuildRoutes(mount, { ...this.context, followers: new LogFollowers(db, silentLogNews) })
    mountFindingRoutes(mount, this.context)
    afterAll(async () => {
      await this.app.close()
      rmSync(this.folder, { recursive: true, force: true })
    })
  }

  async call<Body = Record<string, unknown>>(
    route: Route,
    principal: Principal,
    options: CallOptions = {},
  ): Promise<Answer<Body>> {
    const url = route.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => options.params?.[name] ?? '')
    const json = options.body !== undefined
    const payload = json ? JSON.stringify(options.body) : options.bytes
    const response = await this.app.inject({
      method: route.method,
      url,
      query: options.query ?? {},
      headers: {
        'x-test-principal': JSON.stringify(principal),
        ...(json && { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(payload !== undefined && { payload }),
    })
    return { status: response.statusCode, body: response.json() as Body, headers: response.headers }
  }

  environment(principal: Principal, body: Record<string, unknown> = {}): Promise<Environment> {
    return this.must(environmentRoutes.createEnvironment, principal, { body: { name: 'Reports', ...body } })
  }

  init(principal: Principal, id: string, declared_bytes = 1000): Promise<ContextUploadInit> {
    return this.must(contextUploadRoutes.initContextUpload, principal, {
      params: { id },
      body: { declared_bytes },
    })
  }

  put(
    principal: Principal,
    id: string,
    to: { upload_session_id: string; capability_token: string },
    { bytes, headers = {} }: { bytes: Buffer | Readable; headers?: Record<string, string> | undefined },
  ): Promise<Answer<{ digest?: string; bytes_received?: number; detail?: unknown }>> {
    return this.call(contextUploadRoutes.putContextUpload, principal, {
      params: { id, sid: to.upload_session_id },
      bytes,
      headers: {
        'content-type': 'application/octet-stream',
        'x-sandbox-upload-capability': to.capability_token,
        ...headers,
      },
    })
  }

  /** An archive received for the environment. */
  async upload(principal: Principal, id: string, bytes: Buffer): Promise<ContextUploadComplete> {
    const session = await this.init(principal, id, bytes.length)
    await this.put(principal, id, session, { bytes })
    return this.must(contextUploadRoutes.completeContextUpload, principal, {
      params: { id, sid: session.upload_session_id },
    })
  }

  /** A draft by digest alone, so that it takes no upload. */
  version(principal: Principal, id: string, body: Record<string, unknown> = {}): Promise<EnvironmentVersion> {
    return this.must(environmentRoutes.createEnvironmentVersion, principal, {
      params: { id },
      body: { source_digest: `sha256:${'a'.repeat(64)}`, resource_profile: 'standard', ...body },
    })
  }

  /** A call that must succeed, as a step towards what a test is about. */
  async must<Body>(route: Route, principal: Principal, options: CallOptions = {}): Promise<Body> {
    const { status, body } = await this.call<Body>(route, principal, options)
    if (status !== 200) throw new Error(`${route.method} ${route.path}: ${status} ${JSON.stringify(body)}`)
    return body
  }
}

/** The code of a refused call. */
export const codeOf = (answer: Answer<{ detail?: unknown }>): unknown => {
  const { detail } = answer.body
  return detail instanceof Object && 'code' in detail ? detail.code : detail
}
