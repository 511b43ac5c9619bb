import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pushImage } from '../../../../kubernetes/registry/push-image.ts'
import { installedPrograms, NativeProgramsRefused } from '../../../native-programs/installed.ts'
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

/** Puts the image into a registry and returns the reference by which pods name it. */
export const pushProbeImage = (request: PushRequest): Outcome<{ reference: string }> =>
  requested(async () => {
    const { digest, image } = await verifiedProbe()
    await withRegistry(request, (session) => pushImage(session, image))
    return { reference: `${request.to}@${digest}` }
  })

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
