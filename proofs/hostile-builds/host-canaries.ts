import { execFileSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestAgent } from '../../testing/agent/test-agent.ts'

/** Files of the host that an escaped build might change. */
const hostFiles = ['/etc/passwd', '/etc/shadow', '/etc/group', '/etc/crontab', '/etc/ld.so.preload']
const hostFolders = ['/', '/etc', '/etc/cron.d', '/root', '/usr/local/bin', '/lib/systemd/system']

/**
 * Canaries outside a build that have to stay unchanged: files of the host and of another tenant, files that all builds
 * share, a server on every address of the machine. A secret in the files shows that they were read.
 */
export class HostCanaries {
  /** Folder with a file `canary`; the links in contexts lead here. */
  readonly folder: string
  readonly secret = `host secret ${randomUUID()}`
  /** Address of the server for sandboxes. */
  address = ''
  readonly #agent: TestAgent
  readonly #server: Server
  readonly #before: Map<string, string>
  readonly #sharedBefore: string
  #connections = 0

  private constructor(agent: TestAgent) {
    this.#agent = agent
    this.folder = mkdtempSync(join(tmpdir(), 'canary-'))
    writeFileSync(join(this.folder, 'canary'), this.secret)
    const otherTenant = join(agent.dataDir, 'objects/other-tenant')
    mkdirSync(otherTenant, { recursive: true })
    writeFileSync(join(otherTenant, 'canary'), this.secret)
    this.#server = createServer((socket) => {
      this.#connections += 1
      socket.destroy()
    })
    this.#before = this.#state()
    this.#sharedBefore = sharedTrees(agent)
  }

  static async plant(agent: TestAgent): Promise<HostCanaries> {
    const canaries = new HostCanaries(agent)
    await new Promise<void>((resolve) => canaries.#server.listen(0, '0.0.0.0', resolve))
    const bound = canaries.#server.address()
    const port = typeof bound === 'object' && bound ? bound.port : 0
    const ours = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
    const host = ours.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1'
    canaries.address = `${host}:${port}`
    return canaries
  }

  /** The canaries that were touched; empty if none. */
  async touched(log: string): Promise<string[]> {
    const found: string[] = []
    if (log.includes(this.secret)) found.push('a canary was read')
    for (const [name, state] of this.#state()) {
      if (this.#before.get(name) !== state) found.push(`changed: ${name}`)
    }
    if (this.#connections > 0) found.push('the host was reached over the network')
    if (sharedTrees(this.#agent) !== this.#sharedBefore) found.push('what all builds share was changed')
    const answers = await this.#agent.client.list().then(
      (sandboxes) => sandboxes.every(({ state }) => state !== 'forbidden'),
      () => false,
    )
    if (!answers) found.push('the host agent does not answer, or has an unexpected sandbox')
    return found
  }

  close(): void {
    this.#server.close()
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** Digests of contents, listings and attributes, by path. */
  #state(): Map<string, string> {
    const state = new Map<string, string>()
    const note = (path: string, read: (path: string) => string | Buffer) => {
      const name = `${read.name} of ${path}`
      try {
        state.set(name, createHash('sha256').update(read(path)).digest('hex'))
      } catch {
        state.set(name, 'absent')
      }
    }
    const content = (path: string) => readFileSync(path)
    const names = (path: string) => readdirSync(path).sort().join('\0')
    const attributes = (path: string) => {
      const { mode, uid, gid, ctimeMs } = statSync(path)
      return JSON.stringify([mode, uid, gid, ctimeMs])
    }
    for (const path of hostFiles) note(path, content)
    for (const path of hostFolders) note(path, names)
    for (const folder of [this.folder, join(this.#agent.dataDir, 'objects/other-tenant')]) {
      note(folder, names)
      note(join(folder, 'canary'), content)
      note(join(folder, 'canary'), attributes)
    }
    return state
  }
}

/** Digest over the files of the builder and of the base images, which all builds share. Link counts are excluded, since other tests change them. */
function sharedTrees({ dataDir }: TestAgent): string {
  const trees = ['agent/builder', 'agent/base-images'].map((name) => join(dataDir, name))
  const listing = execFileSync('find', [...trees, '-printf', '%p %s %m %U %G %T@ %l\n'], {
    maxBuffer: 2 ** 28,
  })
  return createHash('sha256').update(listing).digest('hex')
}
