import { join } from 'node:path'
import { storageIdBase } from './id-ranges.ts'

/**
 * Where the host agent keeps things, below the data folder. Only root may enter.
 *
 * Every tree that a sandbox sees is owned on disk by 65536 ids from one base, and is seen in the sandbox as
 * 0 to 65535: images and the platform layer from the storage range, which belongs to nobody on the host; the
 * builder's root filesystem and the base images, which the host made itself, from 0.
 */
export interface AgentPaths {
  root: string
  /** One folder per sandbox id: spec, plan, log, results, exit record. */
  sandboxes: string
  /** Marks of ids that were removed or forbidden, so that they are never started again: a file for each day. */
  marks: string
  /** The same of former agents: an empty file for each id. */
  formerMarks: string
  /** `images/<hex of the tar's sha256>/tree`, complete once it has that name. */
  images: string
  /** What sandboxes see of /proc, one folder per size of machine. */
  proc: string
  /** The platform layers, one folder per content. */
  platform: string
  /** The same with the address of the service's resolver, for sandboxes with a network. */
  networkPlatform: string
  buildPlatform: string
  /** Compiled shim and init, one folder per source. */
  native: string
  /** Empty files that owners' sandboxes lock while they collect large results; made anew with each agent. */
  collectLocks: string
  /** There only while filters of system calls are made. */
  filters: string
  builderRootfs: string
  baseImages: string
  lock: string
}

export function agentPaths(dataDir: string): AgentPaths {
  const root = join(dataDir, 'agent')
  return {
    root,
    sandboxes: join(root, 'sandboxes'),
    marks: join(root, 'marks'),
    formerMarks: join(root, 'removed'),
    images: join(root, 'images'),
    proc: join(root, 'proc'),
    platform: join(root, 'platform'),
    networkPlatform: join(root, 'platform-network'),
    buildPlatform: join(root, 'platform-build'),
    native: join(root, 'native'),
    collectLocks: join(root, 'collect-locks'),
    filters: join(root, 'filters'),
    builderRootfs: join(root, 'builder/rootfs'),
    baseImages: join(root, 'base-images'),
    lock: join(root, 'agent.lock'),
  }
}

export const diskIdBase = { image: storageIdBase, platform: storageIdBase, builder: 0, baseImages: 0 }

/** The folder that each shim covers with its own tmpfs, in its own mount namespace. */
export const stagingFolder = '/run/sandbox-jobs'

/** Where the runtime of a sandbox keeps its state: in that tmpfs, so that it costs no disk and goes with the shim. */
export const runtimeRoot = `${stagingFolder}/runtime`
