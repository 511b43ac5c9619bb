import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { GrantedJob } from '@sandbox-jobs/contract/resources/granted-job.ts'
import type { ShareGrant } from '@sandbox-jobs/contract/resources/share.ts'
import type { Task } from '@sandbox-jobs/contract/resources/task.ts'
import type { TaskVersion } from '@sandbox-jobs/contract/resources/task-version.ts'
import { chatroomRoutes } from '@sandbox-jobs/contract/routes/chatroom-routes.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { taskRoutes } from '@sandbox-jobs/contract/routes/task-routes.ts'
import { afterAll } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { createLog } from '../base/logging.ts'
import { PageTokens } from '../base/page.ts'
import type { Database, Trx } from '../db/database.ts'
import { createApp } from '../http/app.ts'
import { withFiles } from '../http/file-part.ts'
import { mounter } from '../http/mount.ts'
import { mountBundleUploadRoute } from '../http/routes/bundle-uploads.ts'
import { mountGrantedJobRoutes } from '../http/routes/granted-jobs.ts'
import { mountInputPreviewRoute } from '../http/routes/input-preview.ts'
import { mountMenuRoutes } from '../http/routes/menu.ts'
import { mountScriptUploadRoutes } from '../http/routes/script-uploads.ts'
import { mountShareRoutes } from '../http/routes/shares.ts'
import { mountTaskVersionRoutes } from '../http/routes/task-versions.ts'
import { mountTaskRoutes } from '../http/routes/tasks.ts'
import { Directory } from '../platform/directory.ts'
import type { Principal } from '../platform/principal.ts'
import { stageInput } from '../runs/run-input.ts'
import { DiskStorage } from '../storage/disk.ts'
import type { UploadContext } from '../tasks/upload-context.ts'
import { testReaders } from './test-readers.ts'

export interface Answer<Body = Record<string, unknown>> {
  status: number
  body: Body
}

export interface CallOptions {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
  /** A file in a multipart body. */
  file?: SentFile
  /** A body as it is, with the headers that tell of it. */
  payload?: Buffer | Readable
  headers?: Record<string, string>
}

export interface SentFile {
  content: string | Buffer
  name?: string
  part?: string
}

/** The routes of tasks over HTTP, called as whoever a test names. */
export class TaskHarness {
  readonly context: UploadContext
  /** What is stored lies here. */
  readonly folder = mkdtempSync(join(tmpdir(), 'sandbox-test-tasks-'))
  readonly cancelledTasks: string[] = []
  readonly #app = createApp(createLog('test', 'silent'))

  constructor(db: Database) {
    this.context = {
      db,
      directory: new Directory(db),
      pages: new PageTokens(randomBytes(32)),
      clock: systemClock,
      storage: new DiskStorage(this.folder),
      log: createLog('test', 'silent'),
      cancelQueuedRunsOfTask: async (_trx: Trx, _companyId: string, taskId: string) =>
        void this.cancelledTasks.push(taskId),
    }
    const authenticate = async (headers: Record<string, unknown>) =>
      JSON.parse(String(headers['x-test-principal'])) as Principal
    const mount = mounter(this.#app, { authenticate, enabled: true })
    mountTaskRoutes(mount, this.context)
    mountTaskVersionRoutes(mount, this.context)
    mountShareRoutes(mount, this.context)
    mountGrantedJobRoutes(mount, this.context)
    mountMenuRoutes(mount, this.context)
    mountInputPreviewRoute(mount, { ...this.context, stageInput })
    withFiles(this.#app, (files) => {
      const mountWithFiles = mounter(files, { authenticate, enabled: true })
      mountScriptUploadRoutes(mountWithFiles, this.context)
      mountBundleUploadRoute(mountWithFiles, {
        ...this.context,
        readers: testReaders(this.context.log),
      })
    })
    afterAll(async () => {
      await this.#app.close()
      rmSync(this.folder, { recursive: true, force: true })
    })
  }

  async call<Body = Record<string, unknown>>(
    route: Route,
    principal: Principal,
    options: CallOptions = {},
  ): Promise<Answer<Body>> {
    const url = route.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => options.params?.[name] ?? '')
    const sent = sentBody(options)
    const response = await this.#app.inject({
      method: route.method,
      url,
      query: options.query ?? {},
      headers: { 'x-test-principal': JSON.stringify(principal), ...sent.headers },
      ...(sent.payload !== undefined && { payload: sent.payload }),
    })
    return { status: response.statusCode, body: response.json() as Body }
  }

  createTask(principal: Principal, owner: { scope: string; id: string }): Promise<Task> {
    const body = { name: 'Report', owner_scope: owner.scope, owner_id: owner.id }
    return this.#must(taskRoutes.createTask, principal, { body })
  }

  createDraft(
    principal: Principal,
    draft: { taskId: string; environmentVersionId: string; fields?: Record<string, unknown> },
  ): Promise<TaskVersion> {
    const body = { environment_version_id: draft.environmentVersionId, ...draft.fields }
    return this.#must(taskRoutes.createTaskVersion, principal, { params: { id: draft.taskId }, body })
  }

  async publish(
    principal: Principal,
    draft: { taskId: string; environmentVersionId: string; fields?: Record<string, unknown> },
  ): Promise<TaskVersion> {
    const { id: vid } = await this.createDraft(principal, draft)
    return this.#must(taskRoutes.publishTaskVersion, principal, { params: { id: draft.taskId, vid } })
  }

  share(principal: Principal, share: { taskId: string; kind: string; id: string }): Promise<ShareGrant> {
    const body = { target_kind: share.kind, target_id: share.id }
    return this.#must(taskRoutes.createShare, principal, { params: { id: share.taskId }, body })
  }

  enable(principal: Principal, cid: string, tid: string): Promise<GrantedJob> {
    return this.#must(chatroomRoutes.enableGrantedJob, principal, { params: { cid, tid } })
  }

  /** A call that must succeed, as a step towards what a test is about. */
  async #must<Body>(route: Route, principal: Principal, options: CallOptions): Promise<Body> {
    const { status, body } = await this.call<Body>(route, principal, options)
    if (status !== 200) throw new Error(`${route.method} ${route.path}: ${status} ${JSON.stringify(body)}`)
    return body
  }
}

export const multipartHeaders = { 'content-type': 'multipart/form-data; boundary=limit' }

/** One part of a multipart body; without a `name` a field. */
export const partOf = ({ content, name = 'file.bin', part = 'file' }: SentFile): Buffer => {
  const file = name === '' ? '' : `; filename="${name}"`
  const head = `--limit\r\ncontent-disposition: form-data; name="${part}"${file}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), Buffer.from(content), Buffer.from('\r\n')])
}

export const multipartEnd = Buffer.from('--limit--\r\n')

function sentBody({ body, file, payload, headers }: CallOptions) {
  if (body !== undefined) {
    return { payload: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } }
  }
  if (file) return { payload: Buffer.concat([partOf(file), multipartEnd]), headers: multipartHeaders }
  return { payload, headers }
}
