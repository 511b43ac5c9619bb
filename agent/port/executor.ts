import type { CapacityPort } from './capacity.ts'
import type { ImagePort } from './images.ts'
import type { PlatformPort } from './platform.ts'
import type { ResultPort } from './results.ts'
import type { SandboxPort } from './sandboxes.ts'

/**
 * All five ports of one executor: plain data in and out, nothing about runs, builds or tenants. Code that makes an executor or
 * passes it on uses this type; other code takes only the port that it needs.
 */
export type Executor = SandboxPort & ResultPort & ImagePort & CapacityPort & PlatformPort
