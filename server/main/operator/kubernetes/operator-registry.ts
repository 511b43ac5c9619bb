import { readFile } from 'node:fs/promises'
import {
  type RegistryAccess,
  RegistryFailed,
  RegistrySession,
} from '../../../../kubernetes/registry/registry-session.ts'
import { RequestRefused } from '../as-root.ts'

export interface PushRequest {
  /** `REGISTRY/NAME`. */
  to: string
  /** A file with `USER:PASSWORD`. */
  loginFile?: string
  /** A file with the authority of the registry. */
  caFile?: string
  plainHttp: boolean
}

/** Works on the registry that a request names. Its failures are those of the request. */
export async function withRegistry<T>(
  request: PushRequest,
  work: (session: RegistrySession) => Promise<T>,
): Promise<T> {
  const session = new RegistrySession(await registryOf(request))
  try {
    return await work(session)
  } catch (error) {
    if (!(error instanceof RegistryFailed)) throw error
    throw new RequestRefused(
      `${error.message}${error.cause instanceof Error ? `: ${error.cause.message.trim()}` : ''}`,
    )
  }
}

async function registryOf({ to, loginFile, caFile, plainHttp }: PushRequest): Promise<RegistryAccess> {
  const [, host, repository] = /^([a-z0-9.-]+(?::\d{1,5})?)\/([a-z0-9]+(?:[._/-]+[a-z0-9]+)*)$/.exec(to) ?? []
  if (host === undefined || repository === undefined)
    throw new RequestRefused('--to is a registry and a name in it: registry.example.org/sandbox/probe')
  const read = (path: string) =>
    readFile(path).catch((error: Error) => {
      throw new RequestRefused(error.message)
    })
  const login = loginFile === undefined ? undefined : (await read(loginFile)).toString().trim()
  const [, user, password] = /^([^:]+):(.+)$/.exec(login ?? '') ?? []
  if (login !== undefined && (user === undefined || password === undefined))
    throw new RequestRefused('--login is a file with USER:PASSWORD')
  return {
    url: `${plainHttp ? 'http' : 'https'}://${host}`,
    repository,
    ...(user !== undefined && password !== undefined && { login: { user, password } }),
    ...(caFile !== undefined && { ca: await read(caFile) }),
  }
}
