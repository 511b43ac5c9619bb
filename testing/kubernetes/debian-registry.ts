import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** The registry of Debian's package docker-registry, on the loopback. */
export class DebianRegistry {
  readonly #process: ChildProcess
  readonly #folder: string
  readonly url: string

  private constructor(process: ChildProcess, folder: string, url: string) {
    this.#process = process
    this.#folder = folder
    this.url = url
  }

  static async start(): Promise<DebianRegistry> {
    const folder = mkdtempSync(join(tmpdir(), 'debian-registry-'))
    const address = `127.0.0.1:${await freePort()}`
    const settings = {
      version: '0.1',
      log: { level: 'info' },
      storage: { filesystem: { rootdirectory: join(folder, 'blobs') } },
      http: { addr: address },
    }
    writeFileSync(join(folder, 'settings.yaml'), JSON.stringify(settings))
    const process = spawn('docker-registry', ['serve', join(folder, 'settings.yaml')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const failed = once(process, 'exit').then(() => {
      throw new Error('docker-registry ended: apt-get install docker-registry')
    })
    await Promise.race([listening(process), failed])
    return new DebianRegistry(process, folder, `http://${address}`)
  }

  async stop(): Promise<void> {
    this.#process.kill('SIGKILL')
    await once(this.#process, 'exit')
    rmSync(this.#folder, { recursive: true })
  }
}

async function listening({ stderr }: ChildProcess): Promise<void> {
  if (!stderr) throw new Error('no log')
  for await (const line of createInterface(stderr)) if (line.includes('listening on')) break
  stderr.resume()
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
