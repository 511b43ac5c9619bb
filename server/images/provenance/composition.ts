import type { Runner } from '../../../agent/port/host.ts'
import { canonicalDigest } from '../../base/json/canonical-json.ts'
import { hexOf, installedDigest, type Layers } from '../image-documents.ts'

/** The digest of what a job runs on: the image's layers, the runner's layer above it, and the runner's policy. */
export const composedDigest = (layers: Layers, runner: Runner): string =>
  canonicalDigest({
    layer: installedDigest(layers),
    runner: runner.layerDigest,
    abi_revision: runner.abiRevision,
    policy: runner.policyDigest,
  })

export const policyRevisionOf = (runner: Runner): string =>
  `policy-${hexOf(runner.policyDigest).slice(0, 16)}`
