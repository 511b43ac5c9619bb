import { readFileSync } from 'node:fs'
import { request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { isJsonObject } from '@sandbox-jobs/contract/json-object.ts'
import { KeysUnavailable } from './wrapping-keys.ts'

export interface VaultOptions {
  /** `https://vault.example.org:8200`. */
  address: string
  /** Where the transit engine is mounted. */
  mount: string
  /** The name of its key: of type `aes256-gcm96`, neither derived nor convergent. */
  key: string
  /** Read at each request, so that an agent of Vault's may renew what is in it. */
  tokenFile: string
  namespace?: string | undefined
  caFile?: string | undefined
  timeoutMs?: number
}

export interface VaultAnswer {
  status: number
  /** Undefined where the body is no JSON object. */
  body: Record<string, unknown> | undefined
}

const timeoutMsDefault = 3000
/** An answer to wrap or unwrap has less than 1 KiB. */
const answerMaxBytes = 64 * 1024
const tokenMaxLength = 4096

/** One request to Vault's HTTP API. Throws `KeysUnavailable` where no whole answer comes in time. */
export async function askVault(
  options: VaultOptions,
  method: 'GET' | 'POST',
  path: string,
  body?: Record<string, string>,
): Promise<VaultAnswer> {
  const url = new URL(`/v1/${options.mount}/${path}`, options.address)
  const payload = body && JSON.stringify(body)
  const headers = {
    'x-vault-token': readToken(options.tokenFile),
    'x-vault-request': 'true',
    ...(options.namespace && { 'x-vault-namespace': options.namespace }),
    ...(payload && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
  }
  const signal = AbortSignal.timeout(options.timeoutMs ?? timeoutMsDefault)
  try {
    const { promise, resolve, reject } = Promise.withResolvers<VaultAnswer>()
    const send = url.protocol === 'https:' ? tlsRequest : plainRequest
    const ca = options.caFile && readFileSync(options.caFile)
    const sent = send(url, { method, headers, signal, ...(ca && { ca }) }, (response) => {
      const parts: Buffer[] = []
      let length = 0
      response.on('data', (part: Buffer) => {
        length += part.length
        if (length > answerMaxBytes) response.destroy(new Error('the answer is too long'))
        else parts.push(part)
      })
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: objectIn(Buffer.concat(parts)) }),
      )
    })
    sent.on('error', reject)
    sent.end(payload)
    return await promise
  } catch (error) {
    throw new KeysUnavailable('Vault does not answer', { cause: error })
  }
}

function readToken(path: string): string {
  let token: string
  try {
    token = readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new KeysUnavailable(`the token of Vault, ${path}, cannot be read`, { cause: error })
  }
  if (!/^[\x21-\x7e]+$/.test(token) || token.length > tokenMaxLength)
    throw new KeysUnavailable(`${path} must hold a token of Vault`)
  return token
}

function objectIn(bytes: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
