/** The kinds of package mirrors, each named for the index whose tools it serves. */
export const mirrorKinds = ['pypi', 'npm', 'apt', 'go', 'cargo', 'maven', 'cran', 'rubygems'] as const
export type MirrorKind = (typeof mirrorKinds)[number]

/** A package mirror that the operator declared, as build steps reach it. */
export interface PackageMirror {
  kind: MirrorKind
  /** Unique: the kind, or `apt/ARCHIVE`. */
  name: string
  /** The address at which steps reach it: plain HTTP, without a login. */
  url: string
  /** The operator's address of it, which steps do not reach. */
  source: string
}

/** The use of one mirror by a build step. */
export interface MirrorUse {
  name: string
  address: string
  port: number
  requests: number
  /** Bytes of the mirror's answers. */
  ingressBytes: number
  /** How often an answer failed, by code. */
  failures: Record<string, number>
}
