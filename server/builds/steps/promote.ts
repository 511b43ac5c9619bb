import { writeLayout } from '../oci-layout.ts'
import { type Build, type BuildStep, found } from './step.ts'

/** Takes the image out of quarantine into an OCI layout of the version's own, with signature and provenance. */
export const promote: BuildStep = {
  stage: 'promote',
  attemptStates: [],
  versionStates: [],
  async run(build: Build) {
    const image = found(build, 'image')
    await writeLayout(build.tools.storage, build.order.versionId, {
      layer: found(build, 'layer'),
      image,
      attachments: [found(build, 'signature'), found(build, 'provenance')],
    })
    build.findings.promotedDigest = image.manifest.descriptor.digest
  },
}
