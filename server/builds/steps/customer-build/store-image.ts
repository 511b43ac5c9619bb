import { ArchiveRefused } from '../../../archives/formats/refusals/archive-refused.ts'
import { deleteQuarantined, quarantineKey } from '../../../images/oci-layout.ts'
import { BuildFailed } from '../../request/build-failed.ts'
import { storeSandboxLog } from '../../sandboxes/build-sandboxes.ts'
import { storeVerified } from '../../sandboxes/store-verified.ts'
import type { Step } from '../step.ts'
import type { Built } from './built.ts'
import type { NetworkRecorded } from './record-network.ts'
import type { BuilderEnded } from './run-builder.ts'

/**
 * Stores the builder's flat image: it is checked and compressed while it streams into quarantine, so the bytes
 * that are stored are the bytes that were checked.
 */
export const storeImage: Step<BuilderEnded & NetworkRecorded, Pick<Built, 'layer' | 'unpackedBytes'>> = {
  name: 'store_image',
  stage: 'customer_build',
  async run(build, { sandboxId, exit, refusedLog }) {
    const { request, tools, signal } = build
    const status = exit.files.image?.status
    if (status === 'too_large') throw new BuildFailed('context_invalid', 'image_too_large')
    if (status !== 'present') throw new BuildFailed('context_invalid', 'image_missing')
    try {
      return await tools.readers.retryOnDeath(async () => {
        const { stored, report } = await storeVerified(tools, {
          sandboxId,
          key: quarantineKey(request.versionId),
          read: () => tools.readers.readImage(),
          compressed: true,
          signal,
        })
        return { layer: { ...stored, diffId: report.digest }, unpackedBytes: report.unpackedBytes }
      })
    } catch (error) {
      if (!(error instanceof ArchiveRefused)) throw error
      await storeSandboxLog(build, sandboxId, refusedLog + error.explanation('image'))
      throw new BuildFailed('context_invalid', error.errorDetail)
    }
  },
  async undo({ request, tools, whileClaimed }) {
    await whileClaimed(() => deleteQuarantined(tools.storage, request.versionId))
  },
}
