import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Client } from '@sandbox-jobs/contract/client/client.ts'
import { uploadCapabilityHeader } from '@sandbox-jobs/contract/resources/environments/context-upload.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'

const run = promisify(execFile)

/** Files of a build context by name; binary files are executable. */
export type ContextFiles = Record<string, string | Buffer>

/** Uploads contexts to its own environment and has versions built from them, over HTTP alone. */
export class Author {
  readonly #client: Client
  readonly #environmentId: string

  private constructor(client: Client, environmentId: string) {
    this.#client = client
    this.#environmentId = environmentId
  }

  static async with(client: Client, name = 'bench'): Promise<Author> {
    const { id } = await client.call(allRoutes.createEnvironment, { body: { name } })
    return new Author(client, id)
  }

  /** Returns the id of the uploaded archive. A company may upload five times a minute. */
  async upload(files: ContextFiles): Promise<string> {
    const archive = await packed(files)
    return this.send({ byteSize: archive.length, open: () => Readable.from([archive]) })
  }

  async send({ byteSize, open }: { byteSize: number; open: () => Readable }): Promise<string> {
    const id = this.#environmentId
    const opened = await this.#client.call(allRoutes.initContextUpload, {
      params: { id },
      body: { declared_bytes: byteSize, archive_format: 'tar' },
    })
    const params = { id, sid: opened.upload_session_id }
    await this.#client.call(allRoutes.putContextUpload, {
      params,
      upload: Readable.toWeb(open()) as ReadableStream,
      headers: {
        [uploadCapabilityHeader]: opened.capability_token,
        'content-length': String(byteSize),
      },
    })
    return (await this.#client.call(allRoutes.completeContextUpload, { params })).owned_object_id
  }

  /**
   * Builds a version of an uploaded archive; after `quietMs` it polls for the end every `pollMs`. Throws when the
   * version does not become ready.
   */
  async build(
    ownedObjectId: string,
    asking: { pollMs: number; quietMs?: number },
  ): Promise<{ versionId: string; attemptId: string; tookMs: number }> {
    const startedAt = performance.now()
    const { versionId, attempt } = await this.#attempt(ownedObjectId, asking)
    if (attempt.terminal_class !== 'completed') {
      throw new Error(`the build ended as ${attempt.error_code}: ${attempt.error_detail}`)
    }
    return { versionId, attemptId: attempt.id, tookMs: performance.now() - startedAt }
  }

  /** The stages of a build and what each took. */
  async stages(vid: string, aid: string): Promise<{ name: string; ms: number }[]> {
    const params = { id: this.#environmentId, vid, aid }
    const { stages } = await this.#client.call(allRoutes.readBuildDetails, { params })
    return stages.map(({ stage, duration_ms: ms }) => ({ name: stage, ms: ms ?? 0 }))
  }

  /** Builds an archive whose Dockerfile must be refused. */
  async refused(ownedObjectId: string, pollMs: number): Promise<void> {
    const { attempt } = await this.#attempt(ownedObjectId, { pollMs })
    if (attempt.error_code !== 'policy_reject') throw new Error(`the build ended as ${attempt.error_code}`)
  }

  async #attempt(ownedObjectId: string, { pollMs, quietMs = 0 }: { pollMs: number; quietMs?: number }) {
    const startedAt = performance.now()
    const id = this.#environmentId
    const { id: vid } = await this.#client.call(allRoutes.createEnvironmentVersion, {
      params: { id },
      body: { owned_object_id: ownedObjectId, resource_profile: 'standard' },
    })
    const { id: aid } = await this.#client.call(allRoutes.createBuild, { params: { id, vid } })
    for (let pauseMs = quietMs - (performance.now() - startedAt); ; pauseMs = pollMs) {
      if (pauseMs > 0) await sleep(pauseMs)
      const attempt = await this.#client.call(allRoutes.readBuild, { params: { id, vid, aid } })
      if (attempt.terminal_class !== '') return { versionId: vid, attempt }
    }
  }
}

export async function writeContext(folder: string, files: ContextFiles): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(folder, name), content)
    if (Buffer.isBuffer(content)) await chmod(join(folder, name), 0o755)
  }
}

async function packed(files: ContextFiles): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-context-'))
  try {
    await writeContext(folder, files)
    const args = ['-c', '-f', '-', '-C', folder, ...Object.keys(files)]
    const { stdout } = await run('tar', args, { encoding: 'buffer', maxBuffer: 64 * 1024 ** 2 })
    return stdout
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
