import { writeLayout } from '../oci-layout.ts'
import { type Build, type BuildStep, found } from './step.ts'

/** Takes the image out of quarantine into an OCI layout of the version's own. */
export const promote: BuildStep = {
  stage: 'promote',
  attemptStates: [],
  versionStates: [],
  async run(build: Build) {
    const layer = found(build, 'layer')
    const { env, user } = found(build, 'imageConfig')
    build.findings.promotedDigest = await writeLayout(build.tools.storage, build.order.versionId, {
      layer,
      env,
      user,
    })
  },
}
