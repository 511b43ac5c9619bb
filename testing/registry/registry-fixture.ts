import { type ChildProcess, execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { type TarFields, tar } from '../../reader/formats/archive-fixtures.ts'
import { sha256Of } from '../../server/base/sha256.ts'
import { spawnBound } from '../bound-process.ts'

const run = promisify(execFile)

/** The response of a registry to one path. */
export interface RegistryRoute {
  status?: number
  type?: string
  /** base64. */
  body?: string
  location?: string
  /** The authentication challenge of a 401 response. */
  challenge?: string
  headers?: Record<string, string>
  /** `endless`: bytes without end; `silent`: the response is never finished. */
  pace?: 'endless' | 'silent'
}

export interface RegistryContent {
  routes: Record<string, RegistryRoute>
  /** `user:password`; without it everybody may read. */
  login?: string
  /** Below `/v2/` everybody needs this token, which `challenge` leads to. */
  bearer?: { token: string; challenge: string }
}

/** A document or a layer of a registry. */
export interface Blob {
  mediaType: string
  bytes: Buffer
  digest: string
}

export const blob = (mediaType: string, content: Buffer | object): Blob => {
  const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content))
  return { mediaType, bytes, digest: sha256Of(bytes) }
}

export const types = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
  dockerManifest: 'application/vnd.docker.distribution.manifest.v2+json',
  dockerConfig: 'application/vnd.docker.container.image.v1+json',
  dockerLayer: 'application/vnd.docker.image.rootfs.diff.tar.gzip',
} as const

export interface TestImage {
  manifest: Blob
  /** Configuration and layers. */
  blobs: Blob[]
}

const descriptor = ({ mediaType, digest, bytes }: Blob) => ({ mediaType, digest, size: bytes.length })

/** An image of one layer; `change` puts false values into its documents. */
export function testImage(
  files: TarFields[],
  change: { config?: object; manifest?: object; layer?: Blob } = {},
): TestImage {
  const unpacked = tar(...files)
  const layer = change.layer ?? blob(types.layer, gzipSync(unpacked))
  const config = blob(types.config, {
    architecture: 'amd64',
    os: 'linux',
    config: { Env: ['FROM_REGISTRY=yes'] },
    rootfs: { type: 'layers', diff_ids: [sha256Of(unpacked)] },
    ...change.config,
  })
  const manifest = blob(types.manifest, {
    schemaVersion: 2,
    mediaType: types.manifest,
    config: descriptor(config),
    layers: [descriptor(layer)],
    ...change.manifest,
  })
  return { manifest, blobs: [config, layer] }
}

/** One manifest for several platforms. */
export const testIndex = (images: { image: TestImage; architecture: string }[]): Blob =>
  blob(types.index, {
    schemaVersion: 2,
    mediaType: types.index,
    manifests: images.map(({ image, architecture }) => ({
      ...descriptor(image.manifest),
      platform: { architecture, os: 'linux' },
    })),
  })

/** The routes that serve these blobs. */
export function routesOf(repository: string, tags: Record<string, Blob>, images: TestImage[]) {
  const routes: RegistryContent['routes'] = {}
  const add = (path: string, { mediaType: type, bytes }: Blob) => {
    routes[`/v2/${repository}/${path}`] = { type, body: bytes.toString('base64') }
  }
  for (const [tag, manifest] of Object.entries(tags)) {
    add(`manifests/${tag}`, manifest)
    add(`manifests/${manifest.digest}`, manifest)
  }
  for (const { manifest, blobs } of images) {
    add(`manifests/${manifest.digest}`, manifest)
    for (const item of blobs) add(`blobs/${item.digest}`, item)
  }
  return routes
}

/** A registry over HTTPS, with its own certificate, in a network namespace. */
export class TestRegistry {
  readonly folder: string
  /** Each as `GET /v2/...`. */
  readonly requests: string[] = []
  readonly #process: ChildProcess

  private constructor(folder: string, process: ChildProcess) {
    this.folder = folder
    this.#process = process
  }

  /**
   * `onHost` is a command prefix that runs a program on the registry's host; `names` are those of its certificate,
   * `DNS:...` or `IP:...`.
   */
  static async start(onHost: string[], port: number, names: string[]): Promise<TestRegistry> {
    const folder = await mkdtemp(join(tmpdir(), 'test-registry-'))
    await run('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
      ...['-subj', '/CN=test registry', '-addext', `subjectAltName=${names.join(',')}`],
      ...['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')],
    ])
    await writeFile(join(folder, 'content.json'), '{"routes":{}}')
    const program = join(import.meta.dirname, 'registry-server.ts')
    const child = spawnBound([...onHost, process.execPath, program, folder, String(port)])
    const registry = new TestRegistry(folder, child)
    const ready = Promise.withResolvers<void>()
    createInterface(child.stdout).on('line', (line) => {
      if (line === 'ready') ready.resolve()
      else registry.requests.push(line)
    })
    child.once('exit', () => ready.reject(new Error('the registry ended')))
    await ready.promise
    return registry
  }

  /** Its self-signed certificate. */
  get authority(): string {
    return join(this.folder, 'cert.pem')
  }

  /** Adds routes to the existing ones. */
  async serve(routes: RegistryContent['routes'], login?: string): Promise<void> {
    const path = join(this.folder, 'content.json')
    const present = JSON.parse(await readFile(path, 'utf8')) as RegistryContent
    const content = { routes: { ...present.routes, ...routes }, ...(login !== undefined && { login }) }
    await writeFile(path, JSON.stringify(content))
  }

  /** Replaces all content. */
  async replace(
    routes: RegistryContent['routes'],
    access: Pick<RegistryContent, 'bearer'> = {},
  ): Promise<void> {
    await writeFile(join(this.folder, 'content.json'), JSON.stringify({ routes, ...access }))
  }

  async dispose(): Promise<void> {
    this.#process.kill('SIGKILL')
    await rm(this.folder, { recursive: true })
  }
}
