import type { HostPort } from './host.ts'
import type { ImagePort } from './images.ts'
import type { SandboxPort } from './sandboxes.ts'

/**
 * All three ports of one host: plain data in and out, nothing about runs, builds or tenants. Code that makes an executor or
 * passes it on uses this type; other code takes only the port that it needs.
 */
export type Executor = SandboxPort & ImagePort & HostPort
