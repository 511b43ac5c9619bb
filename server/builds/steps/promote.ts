import { deleteLayout, writeLayout } from '../../images/oci-layout.ts'
import type { Attested } from './attest.ts'
import type { Built } from './customer-build/built.ts'
import type { Signed } from './sign.ts'
import type { Step } from './step.ts'

export interface Promoted {
  promotedDigest: string
}

type Needs = Pick<Built, 'layers'> & Signed & Pick<Attested, 'provenance'>

/** Moves the image from quarantine into the version's OCI layout, with signature and provenance. */
export const promote: Step<Needs, Promoted> = {
  name: 'promote',
  stage: 'promote',
  async run({ request, tools }, { layers, image, signature, provenance }) {
    const attachments = [signature, provenance]
    await writeLayout(tools.storage, request.versionId, { layers, image, attachments })
    return { promotedDigest: image.manifest.descriptor.digest }
  },
  undo: ({ request, tools, whileClaimed }) =>
    whileClaimed(() => deleteLayout(tools.storage, request.versionId)),
}
