import { findProgram, hostPrograms } from '../../../../agent/host/host-checks.ts'
import { PublishedSigningKeys } from '../../../base/keys/published-signing-keys.ts'
import { signingKeysFolder } from '../../../base/keys/signing-keys.ts'
import { recordComposed } from '../../../environments/versions/composed-image-store.ts'
import { findSignedVersion } from '../../../environments/versions/version-store.ts'
import { ImageUntrusted } from '../../../images/provenance/verify-image.ts'
import type { MadeLayer } from '../../../operations/kubernetes/layer-entries.ts'
import { type PushedVersion, pushComposed } from '../../../operations/kubernetes/push-composed.ts'
import { runnerLayer } from '../../../operations/kubernetes/runner-layer.ts'
import { openStorage } from '../../../storage/open-storage.ts'
import { RequestRefused } from '../as-root.ts'
import { actOnService, type Outcome } from '../local-service.ts'
import { withProgram } from './operator-probe-image.ts'
import { type PushRequest, withRegistry } from './operator-registry.ts'

/** The digests in the registry, or why the image is not there. */
export const pushVersion = (
  versionId: string,
  request: PushRequest,
): Outcome<{ pushed: PushedVersion } | { refused: string }> =>
  actOnService(
    { act: 'image_push', subject: versionId, details: { repository: request.to } },
    async ({ db, config }) => {
      const version = await findSignedVersion(db, versionId)
      if (!version) return { refused: 'no version with an image has that id' }
      const signing = new PublishedSigningKeys(signingKeysFolder(config.dataDir))
      const tools = { storage: await openStorage(config), signing }
      try {
        const runner = await releaseLayer()
        const pushed = await withRegistry(request, (session) =>
          pushComposed(session, { tools, version, runner }),
        )
        const { layerDigest: installedDigest } = version
        const image = { installedDigest, runnerDigest: runner.diffId, repository: request.to }
        await recordComposed(db, image, pushed.composedDigest)
        return { pushed }
      } catch (error) {
        const isExpected = error instanceof RequestRefused || error instanceof ImageUntrusted
        if (!isExpected) throw error
        return { refused: error.message }
      }
    },
  )

/** The platform's layer of this release. */
async function releaseLayer(): Promise<MadeLayer> {
  const busybox = await findProgram(hostPrograms.busybox)
  if (busybox === undefined)
    throw new RequestRefused('there is no static busybox: apt-get install busybox-static')
  return withProgram('pod-init', (init) => runnerLayer({ busybox, init }))
}
