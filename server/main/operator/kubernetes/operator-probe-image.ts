import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pushImage } from '../../../../kubernetes/registry/push-image.ts'
import {
  type RegistryAccess,
  RegistryFailed,
  RegistrySession,
} from '../../../../kubernetes/registry/registry-session.ts'
import { installedPrograms, NativeProgramsRefused } from '../../../native-programs/installed.ts'
import { type ProbeImage, probeImage } from '../../../operations/kubernetes/probe-image.ts'
import { type Outcome, RequestRefused } from '../as-root.ts'
import { requested } from './requested.ts'

/** Writes the image and returns its digest. */
export const writeProbeImage = (path: string): Outcome<{ digest: string }> =>
  requested(async () => {
    const { archive, digest } = await verifiedProbe()
    await writeFile(path, archive).catch((error: Error) => {
      throw new RequestRefused(error.message)
    })
    return { digest }
  })

export interface PushRequest {
  /** `REGISTRY/NAME`. */
  to: string
  /** A file with `USER:PASSWORD`. */
  loginFile?: string
  /** A file with the authority of the registry. */
  caFile?: string
  plainHttp: boolean
}

/** Puts the image into a registry and returns the reference by which pods name it. */
export const pushProbeImage = (request: PushRequest): Outcome<{ reference: string }> =>
  requested(async () => {
    const { digest, image } = await verifiedProbe()
    const session = new RegistrySession(await registryOf(request))
    try {
      await pushImage(session, image)
    } catch (error) {
      if (!(error instanceof RegistryFailed)) throw error
      throw new RequestRefused(
        `${error.message}${error.cause instanceof Error ? `: ${error.cause.message.trim()}` : ''}`,
      )
    }
    return { reference: `${request.to}@${digest}` }
  })

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

async function verifiedProbe(): Promise<ProbeImage> {
  const folder = await mkdtemp(join(tmpdir(), 'probe-image-'))
  try {
    return await probeImage({ probe: installedPrograms(folder, ['pod-probe'])['pod-probe'] })
  } catch (error) {
    throw error instanceof NativeProgramsRefused ? new RequestRefused(error.message) : error
  } finally {
    await rm(folder, { recursive: true })
  }
}
