import { ofEnvironment } from './environment.ts'
import { ofFiles } from './files.ts'
import { ofGvisor } from './gvisor.ts'
import type { Hole } from './hole.ts'
import { ofKernel } from './kernel.ts'
import { ofNetwork } from './network.ts'
import { ofResources } from './resources.ts'
import { ofSharedFiles } from './shared-files.ts'
import { ofView } from './view.ts'

/** Each hole removes one control, and the suite must detect it. */
export const holes: Hole[] = [
  ...ofKernel,
  ...ofSharedFiles,
  ...ofView,
  ...ofFiles,
  ...ofEnvironment,
  ...ofResources,
  ...ofNetwork,
  ...ofGvisor,
]
