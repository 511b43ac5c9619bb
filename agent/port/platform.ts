import type { PackageMirror } from './package-mirror.ts'

/** The platform's parts that sandboxes and builds of an executor use. */
export interface PlatformPort {
  /** The runner of every sandbox of this executor; it changes only when the executor is replaced. */
  runner(): Promise<Runner>
  /** The builder that a build sandbox started now would use. Refuses with `builder_missing`. */
  builder(): Promise<Builder>
  /** The package mirrors that steps of a build started now would reach. Refuses with `mirrors_unreadable`. */
  mirrors(): Promise<PackageMirror[]>
}

/** The platform's part of a sandbox: the layer above its image, and its confinement. */
export interface Runner {
  /** Digest of the layer above every image: the shell, process 1, the unpacker, the mount points. */
  layerDigest: string
  /** Raised by incompatible changes: programs that work with one revision may fail with the next. */
  abiRevision: number
  /** Digest of the confinement that jobs get. */
  policyDigest: string
}

/** The builder and the base images that the operator installed. */
export interface Builder {
  /** Digest over the packages of the builder's root filesystem. */
  toolchainDigest: string
  /** Every base image by each of its full names. */
  baseImages: StoredBase[]
}

export interface StoredBase {
  name: string
  /** Of its manifest. */
  digest: string
  /** Absent for an image that is not in the operator's catalogue. */
  made?: MadeBase
}

/** The name of a stored base image in a Dockerfile: the store puts its own host before names without one. */
export const dockerfileName = ({ name }: Pick<StoredBase, 'name'>): string => name.replace(/^localhost\//, '')

/** How the operator made a base image. Fields are absent where they are unknown. */
export interface MadeBase {
  /** Code name of the Debian release. */
  debian: string
  preset?: string
  packages: string[]
  languages?: { name: string; version: string }[]
  /** Of its files. */
  byteSize?: number
  /** RFC 3339. */
  madeAt: string
}
