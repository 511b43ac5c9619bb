import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/*
 * A server that implements the published HTTP API of Vault's transit engine (encrypt, decrypt, read and rotate of a
 * key of type aes256-gcm96, with `associated_data`): its statuses, error texts and ciphertext format.
 * https://developer.hashicorp.com/vault/api-docs/secret/transit
 */

/** An injected fault. */
export type VaultFault =
  | 'sealed'
  | 'silent'
  | 'slow'
  | 'no json'
  | 'another shape'
  | 'another length'
  | 'endless'
  | 'hangs up'
  | 'error without text'

export interface VaultRequest {
  method: string
  path: string
  token: string
  namespace: string
}

export class VaultServer {
  readonly #server: Server
  readonly #token: string
  readonly #key: string
  #versions: Buffer[] = [randomBytes(32)]
  fault: VaultFault | undefined
  readonly requests: VaultRequest[] = []

  private constructor({ token, key }: { token: string; key: string }) {
    this.#token = token
    this.#key = key
    this.#server = createServer((request, response) => void this.#answer(request, response))
  }

  static async start(options: { token: string; key: string }): Promise<VaultServer> {
    const vault = new VaultServer(options)
    await new Promise<void>((resolve) => vault.#server.listen(0, '127.0.0.1', resolve))
    return vault
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://vault').pathname.replace('/v1/', '')
    this.requests.push({
      method: request.method ?? '',
      path,
      token: String(request.headers['x-vault-token'] ?? ''),
      namespace: String(request.headers['x-vault-namespace'] ?? ''),
    })
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const text = Buffer.concat(parts).toString()
    if (this.fault) return this.#misbehave(this.fault, response)
    if (request.headers['x-vault-token'] !== this.#token) return refuse(response, 403, 'permission denied')
    const [, verb, name, action] = path.split('/')
    const body = (text === '' ? {} : JSON.parse(text)) as Record<string, string>
    if (name !== this.#key) return refuse(response, verb === 'keys' ? 404 : 400, 'encryption key not found')
    if (verb === 'keys' && action === 'rotate') {
      this.#versions.push(randomBytes(32))
      response.writeHead(204).end()
    } else if (verb === 'keys') send(response, { data: { latest_version: this.#versions.length, name } })
    else if (verb === 'encrypt') send(response, { data: this.#encrypt(body) })
    else this.#decrypt(body, response)
  }

  #encrypt({ plaintext = '', associated_data = '' }: Record<string, string>) {
    const iv = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', this.#versions.at(-1) as Buffer, iv)
    cipher.setAAD(Buffer.from(associated_data, 'base64'))
    const sealed = [iv, cipher.update(Buffer.from(plaintext, 'base64')), cipher.final(), cipher.getAuthTag()]
    const version = this.#versions.length
    return {
      ciphertext: `vault:v${version}:${Buffer.concat(sealed).toString('base64')}`,
      key_version: version,
    }
  }

  #decrypt(
    { ciphertext = '', associated_data = '' }: Record<string, string>,
    response: ServerResponse,
  ): void {
    const [, version = '', base64 = ''] = /^vault:v(\d+):(.*)$/.exec(ciphertext) ?? []
    const key = this.#versions[Number(version) - 1]
    const sealed = Buffer.from(base64, 'base64')
    try {
      if (!key) throw new Error('no such version')
      const cipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12))
      cipher.setAAD(Buffer.from(associated_data, 'base64'))
      cipher.setAuthTag(sealed.subarray(-16))
      const opened = Buffer.concat([cipher.update(sealed.subarray(12, -16)), cipher.final()])
      send(response, { data: { plaintext: opened.toString('base64') } })
    } catch {
      const isForm = key !== undefined && sealed.length >= 28
      refuse(response, 400, isForm ? 'cipher: message authentication failed' : 'invalid ciphertext')
    }
  }

  #misbehave(fault: VaultFault, response: ServerResponse): void {
    const faults: Record<VaultFault, () => unknown> = {
      sealed: () => refuse(response, 503, 'Vault is sealed'),
      silent: () => undefined,
      // Sends one byte and then stops.
      slow: () => response.writeHead(200, { 'content-length': 100 }).write('{'),
      'no json': () => response.writeHead(200).end('<html>a proxy</html>'),
      'another shape': () =>
        send(response, { data: { ciphertext: 'vault:v0:AAAA', plaintext: 7, latest_version: 'new' } }),
      'another length': () =>
        send(response, { data: { ciphertext: 'AAAA', plaintext: 'AAAA', latest_version: 0 } }),
      endless: () => endless(response),
      'hangs up': () => response.destroy(),
      'error without text': () => response.writeHead(400).end(),
    }
    faults[fault]()
  }
}

function endless(response: ServerResponse): void {
  response.writeHead(200)
  const more = () => {
    while (!response.destroyed && response.write(Buffer.alloc(65_536, 'a')));
    if (!response.destroyed) response.once('drain', more)
  }
  more()
}

const send = (response: ServerResponse, body: unknown): void =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))

const refuse = (response: ServerResponse, status: number, error: string): void =>
  void response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ errors: [error] }))
