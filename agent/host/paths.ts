import { join } from 'node:path'
import { storageIdBase } from './id-ranges.ts'

/**
 * Paths of the host agent below the data folder. Only root may enter.
 *
 * Every tree that a sandbox sees is owned on disk by 65536 ids from one base, and is seen in the sandbox as
 * 0 to 65535: images and the platform layer from the storage range, which no user of the host has; the
 * builder's root filesystem and the base images, which the host made itself, from 0.
 */
export interface AgentPaths {
  root: string
  /** One folder per sandbox id: spec, plan, log, results, exit record. */
  sandboxes: string
  /** Marks of ids that were removed or forbidden, so that they are never started again: one file per day. */
  marks: string
  /** `images/<hex of the tar's sha256>/tree`, renamed to this when complete. */
  images: string
  /** Procfs overlay files, one folder per size of sandbox. */
  proc: string
  /** The platform layers, one folder per content. */
  platform: string
  /** Platform layers with the address of the service's resolver, for sandboxes with a network. */
  networkPlatform: string
  buildPlatform: string
  /** The native programs, one folder per build. */
  native: string
  /** Lock files of owners, held while large results are collected; made again by each agent. */
  collectLocks: string
  /** Exists only while system call filters are compiled. */
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

/** State folder of a sandbox's runtime: in that tmpfs, so it uses no disk and disappears with the shim. */
export const runtimeRoot = `${stagingFolder}/runtime`
