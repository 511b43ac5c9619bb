import type { Readable } from 'node:stream'
import type {
  ContextUploadComplete,
  ContextUploadInit,
} from '@sandbox-jobs/contract/resources/environments/context-upload.ts'
import type { Environment } from '@sandbox-jobs/contract/resources/environments/environment.ts'
import type { EnvironmentVersion } from '@sandbox-jobs/contract/resources/environments/environment-version.ts'
import { contextUploadRoutes } from '@sandbox-jobs/contract/routes/context-upload-routes.ts'
import { environmentRoutes } from '@sandbox-jobs/contract/routes/environment-routes.ts'
import type { Principal } from '../../../server/access/principal.ts'
import type { Answer } from '../answer.ts'
import type { Caller } from '../caller.ts'

/** Operations on environments and uploads through the API. */
export class EnvironmentSteps {
  readonly #api: Caller

  constructor(api: Caller) {
    this.#api = api
  }

  create(principal: Principal, body: Record<string, unknown> = {}): Promise<Environment> {
    const named = { name: 'Reports', ...body }
    return this.#api.must(environmentRoutes.createEnvironment, principal, { body: named })
  }

  init(principal: Principal, id: string, declared_bytes = 1000): Promise<ContextUploadInit> {
    return this.#api.must(contextUploadRoutes.initContextUpload, principal, {
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
    return this.#api.call<{ digest?: string; bytes_received?: number; detail?: unknown }>(
      contextUploadRoutes.putContextUpload,
      principal,
      {
        params: { id, sid: to.upload_session_id },
        payload: bytes,
        headers: {
          'content-type': 'application/octet-stream',
          'x-sandbox-upload-capability': to.capability_token,
          ...headers,
        },
      },
    )
  }

  /** Uploads an archive to the environment. */
  async upload(principal: Principal, id: string, bytes: Buffer): Promise<ContextUploadComplete> {
    const session = await this.init(principal, id, bytes.length)
    await this.put(principal, id, session, { bytes })
    return this.#api.must(contextUploadRoutes.completeContextUpload, principal, {
      params: { id, sid: session.upload_session_id },
    })
  }

  /** A draft version by digest only, without an upload. */
  version(principal: Principal, id: string, body: Record<string, unknown> = {}): Promise<EnvironmentVersion> {
    return this.#api.must(environmentRoutes.createEnvironmentVersion, principal, {
      params: { id },
      body: { source_digest: `sha256:${'a'.repeat(64)}`, resource_profile: 'standard', ...body },
    })
  }
}
