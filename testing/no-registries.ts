import type { RegistrySettings } from '../server/images/registries.ts'

/** Base images come only from the operator's store. */
export const noRegistries: RegistrySettings = {
  registry: 'none',
  registryIsMirror: false,
  registryCaFile: undefined,
  registryLoginFile: undefined,
  publicRegistries: false,
}
