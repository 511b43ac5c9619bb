import { ConfigInvalid, readConfig } from '../../../base/config/config.ts'
import { agentPaths } from '../../../executor/oci/host/paths.ts'
import {
  addBaseImage,
  type BaseImage,
  BaseImageRefused,
  listBaseImages,
  prepareStore,
} from '../../../operations/host/base-images.ts'
import { CommandFailed } from '../../../operations/host/run-command.ts'
import { installToolchain, ToolchainRefused } from '../../../operations/host/toolchain.ts'

export type { BaseImage }

/** Why the operator's request failed, and which kind of mistake caused it. */
export interface OperatorProblem {
  ok: false
  cause: 'not_root' | 'settings' | 'request' | 'tool'
  message: string
}

type Outcome<T> = Promise<{ ok: true; value: T } | OperatorProblem>

/** Makes the builder on this machine. Returns true if it was made now, false if it existed. */
export const makeToolchain = (): Outcome<boolean> =>
  asRoot(async (paths) => {
    await prepareStore(paths.baseImages)
    return installToolchain(paths.builderRootfs)
  })

/** Makes a base image from Debian packages, and the builder if needed. Returns whether the image was made now. */
export const makeBaseImage = (name: string, packages: string[]): Outcome<boolean> =>
  asRoot(async (paths) => {
    await installToolchain(paths.builderRootfs)
    return addBaseImage(paths, name, packages)
  })

export const readBaseImages = (): Outcome<BaseImage[]> => asRoot(listBaseImages)

async function asRoot<T>(work: (paths: ReturnType<typeof agentPaths>) => Promise<T>): Outcome<T> {
  if (process.getuid?.() !== 0) {
    return { ok: false, cause: 'not_root', message: 'Images of the operator belong to root.' }
  }
  try {
    return { ok: true, value: await work(agentPaths(readConfig().dataDir)) }
  } catch (error) {
    if (error instanceof ConfigInvalid) return { ok: false, cause: 'settings', message: error.message }
    if (error instanceof BaseImageRefused) return { ok: false, cause: 'request', message: error.message }
    if (error instanceof CommandFailed || error instanceof ToolchainRefused)
      return { ok: false, cause: 'tool', message: error.message }
    throw error
  }
}
