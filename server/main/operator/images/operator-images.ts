import {
  addBaseImage,
  type BaseImage,
  type BaseImageRecipe,
  listBaseImages,
  prepareStore,
} from '../../../operations/host/base-images.ts'
import { installToolchain } from '../../../operations/host/toolchain.ts'
import { asRoot, type Outcome } from '../as-root.ts'

export { basePreset, presetNames } from '../../../operations/host/base-presets.ts'
export { debianSuites } from '../../../operations/host/debian-mirrors.ts'
export type { BaseImage, BaseImageRecipe }

/** Makes the builder on this machine. Returns true if it was made now, false if it existed. */
export const makeToolchain = (): Outcome<boolean> =>
  asRoot(async ({ agent }) => {
    await prepareStore(agent.baseImages)
    return installToolchain(agent.builderRootfs)
  })

/** Makes a base image from Debian packages, and the builder if needed. Returns whether the image was made now. */
export const makeBaseImage = (recipe: BaseImageRecipe): Outcome<boolean> =>
  asRoot(async ({ agent }) => {
    await installToolchain(agent.builderRootfs)
    return addBaseImage(agent, recipe)
  })

export const readBaseImages = (): Outcome<BaseImage[]> => asRoot(({ agent }) => listBaseImages(agent))
