import { type CatalogueEntry, readCatalogue } from '../../../../agent/host/base-catalogue.ts'
import { addBaseImage, type BaseImageRecipe, prepareStore } from '../../../operations/host/base-images.ts'
import type { PackageProgress } from '../../../operations/host/package-progress.ts'
import { installToolchain } from '../../../operations/host/toolchain.ts'
import { asRoot, type Outcome } from '../as-root.ts'

export { basePreset, presetNames, versionedRecipes } from '../../../operations/host/base-presets.ts'
export { debianSuites } from '../../../operations/host/debian.ts'
export type { BaseImageRecipe, PackageProgress }

/** Makes the builder on this machine. Returns true if it was made now, false if it existed. */
export const makeToolchain = (): Outcome<boolean> =>
  asRoot(async ({ agent }) => {
    await prepareStore(agent.baseImages)
    return installToolchain(agent.builderRootfs)
  })

/** Makes a base image from Debian packages, and the builder if needed. Returns whether the image was made now. */
export const makeBaseImage = (
  recipe: BaseImageRecipe,
  onProgress: (progress: PackageProgress) => void,
): Outcome<boolean> =>
  asRoot(async ({ agent }) => {
    await installToolchain(agent.builderRootfs)
    return addBaseImage(agent, recipe, onProgress)
  })

export const readBaseImages = (): Outcome<CatalogueEntry[]> =>
  asRoot(({ agent }) => readCatalogue(agent.baseImages))
