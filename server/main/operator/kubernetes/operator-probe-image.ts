import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PushedImage, pushImage } from '../../../../kubernetes/registry/push-image.ts'
import { installedPrograms, NativeProgramsRefused } from '../../../native-programs/installed.ts'
import type { NativeName } from '../../../native-programs/programs.ts'
import { collectorImage } from '../../../operations/kubernetes/collector-image.ts'
import { type ProbeImage, probeImage } from '../../../operations/kubernetes/probe-image.ts'
import { type Outcome, RequestRefused } from '../as-root.ts'
import { type PushRequest, withRegistry } from './operator-registry.ts'
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

/** Puts the image of a check into a registry and returns the reference by which pods name it. */
export const pushProbeImage = (request: PushRequest): Outcome<{ reference: string }> =>
  requested(async () => pushed(request, (await verifiedProbe()).image))

/** The same for the image of the second container of pods. */
export const pushCollectorImage = (request: PushRequest): Outcome<{ reference: string }> =>
  requested(async () =>
    pushed(request, await withProgram('collector', (collector) => collectorImage(collector))),
  )

async function pushed(request: PushRequest, image: PushedImage): Promise<{ reference: string }> {
  await withRegistry(request, (session) => pushImage(session, image))
  return { reference: `${request.to}@${image.manifest.digest}` }
}

const verifiedProbe = (): Promise<ProbeImage> => withProgram('pod-probe', (probe) => probeImage({ probe }))

/** Works with a program of this release, at a path of its own. */
export async function withProgram<T>(name: NativeName, work: (path: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'pod-image-'))
  try {
    return await work(installedPrograms(folder, [name])[name])
  } catch (error) {
    throw error instanceof NativeProgramsRefused ? new RequestRefused(error.message) : error
  } finally {
    await rm(folder, { recursive: true })
  }
}
