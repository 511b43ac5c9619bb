import { canonicalDigest } from '../../base/canonical-json.ts'
import type { Runner } from '../../executor/port.ts'
import { hexOf, type Layer } from '../image-documents.ts'

/** What a job really runs on: the image's layer with the runner's above it, under the runner's policy. */
export const composedDigest = (layer: Layer, runner: Runner): string =>
  canonicalDigest({
    layer: layer.diffId,
    runner: runner.layerDigest,
    abi_revision: runner.abiRevision,
    policy: runner.policyDigest,
  })

export const policyRevisionOf = (runner: Runner): string =>
  `policy-${hexOf(runner.policyDigest).slice(0, 16)}`
