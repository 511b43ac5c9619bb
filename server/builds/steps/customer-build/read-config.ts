import { maxImageConfigBytes } from '../../../../reader/images/image-manifest.ts'
import { readImageConfig } from '../../builder/image-config.ts'
import { BuildFailed } from '../../request/build-failed.ts'
import type { Step } from '../step.ts'
import type { Built } from './built.ts'
import type { BuilderEnded } from './run-builder.ts'

/** Reads and checks the image's configuration. */
export const readConfig: Step<BuilderEnded, Pick<Built, 'imageConfig'>> = {
  name: 'read_config',
  stage: 'customer_build',
  async run({ tools }, { sandboxId, exit }) {
    if (exit.files.config?.status !== 'present')
      throw new BuildFailed('context_invalid', 'image_config_malformed')
    const bytes = Buffer.concat(await (await tools.executor.file(sandboxId, 'config')).toArray())
    return { imageConfig: readImageConfig(bytes.subarray(0, maxImageConfigBytes)) }
  },
}
