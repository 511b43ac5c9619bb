import type { BuildNetworkSettings } from '../server/builds/network/build-network.ts'

/** Build steps reach nothing. */
export const noBuildNetwork: BuildNetworkSettings = {
  buildNetwork: 'none',
  packageHostsFile: undefined,
  buildEgressCapBytes: 0,
}
