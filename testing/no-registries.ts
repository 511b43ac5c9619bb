import type { RegistrySettings } from '../server/images/registries.ts'

/** Base images come only from the operator's store. */
export const noRegistries: RegistrySettings = {
  registry: undefined,
  registryCaFile: undefined,
  registryLoginFile: undefined,
  publicRegistries: false,
}
