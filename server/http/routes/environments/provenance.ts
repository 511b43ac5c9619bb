import { extensionRoutes } from '@sandbox-jobs/contract/routes/extension-routes.ts'
import {
  listSignatures,
  listSigningKeys,
  openImage,
  type ProvenanceContext,
  readProvenance,
} from '../../../builds/provisioning/provenance-service.ts'
import type { Downloads } from '../../../storage/downloads/downloads.ts'
import type { Mount } from '../../mount.ts'
import { goneSignal } from '../../responses/send-download.ts'
import { untrustedHeaders } from '../../responses/untrusted.ts'

/** The origin of an image, and the signed proof (contract part 3, D6). */
export function mountProvenanceRoutes(
  mount: Mount,
  context: ProvenanceContext & { downloads: Downloads },
): void {
  mount(extensionRoutes.listSigningKeys, async () => listSigningKeys(context))
  mount(extensionRoutes.readProvenance, ({ principal, params }) =>
    readProvenance(context, principal, { environmentId: params.id, versionId: params.vid }),
  )
  mount(extensionRoutes.listImageSignatures, ({ principal, params }) =>
    listSignatures(context, principal, { environmentId: params.id, versionId: params.vid }),
  )
  mount(extensionRoutes.downloadImage, async ({ principal, params, reply }) => {
    const path = { environmentId: params.id, versionId: params.vid }
    const tar = await openImage(context, principal, { ...path, signal: goneSignal(reply) })
    const disposition = `attachment; filename="${params.vid}.oci.tar"`
    return reply
      .headers({
        ...untrustedHeaders,
        'content-type': 'application/x-tar',
        'content-disposition': disposition,
      })
      .send(tar)
  })
}
