import type { Scanned } from '../../findings/track-findings.ts'

/** What later steps and the end of a build take from its scan. */
export interface ScanResult extends Scanned {
  /** Digest of the stored SBOM. */
  sbomDigest: string
}
