import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../../server/base/errors/has-code.ts'
import { KubernetesUnavailable } from './failures.ts'

/** An API server, and a folder with what proves this client to it. */
export interface ClusterAccess {
  /** `https://10.96.0.1:443`. */
  server: string
  /**
   * `ca.crt`, and either `token` or `tls.crt` with `tls.key`: the files of a mounted service account, and of a Secret of the
   * type `kubernetes.io/tls`. They are read at each request, because the cluster replaces them.
   */
  folder: string
}

export interface Credentials {
  ca: Buffer
  token?: string
  cert?: Buffer
  key?: Buffer
}

const tokenMaxLength = 16 * 1024

export async function readCredentials({ folder }: ClusterAccess): Promise<Credentials> {
  const [ca, token, cert, key] = await Promise.all(
    ['ca.crt', 'token', 'tls.crt', 'tls.key'].map((name) => contentOf(join(folder, name))),
  )
  if (!ca) throw new KubernetesUnavailable(`${folder} has no ca.crt`)
  if (cert && key) return { ca, cert, key }
  const text = token?.toString('latin1').trim() ?? ''
  if (text === '') throw new KubernetesUnavailable(`${folder} has neither a token nor tls.crt and tls.key`)
  // It becomes a header.
  if (!/^[\x21-\x7e]+$/.test(text) || text.length > tokenMaxLength)
    throw new KubernetesUnavailable(`the token in ${folder} is none`)
  return { ca, token: text }
}

/** Undefined where there is no such file. */
async function contentOf(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw new KubernetesUnavailable(`${path} cannot be read`, { cause: error })
  }
}
