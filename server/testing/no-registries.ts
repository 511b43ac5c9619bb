import type { RegistrySettings } from '../builds/bases/registries.ts'

/** Base images come from the operator's store alone. */
export const noRegistries: RegistrySettings = {
  registry: undefined,
  registryCaFile: undefined,
  registryLoginFile: undefined,
  publicRegistries: false,
}
