import { zstdCompressSync } from 'node:zlib'
import { systemClock } from '../../base/clock.ts'
import { createLog } from '../../base/logging.ts'
import { sha256Of } from '../../base/sha256.ts'
import { quarantineKey } from '../../builds/oci-layout.ts'
import { attest } from '../../builds/steps/attest.ts'
import { promote } from '../../builds/steps/promote.ts'
import { sign } from '../../builds/steps/sign.ts'
import type { Build, BuildTools } from '../../builds/steps/step.ts'
import { FakeExecutor } from '../../executor/fake/fake-executor.ts'
import { noRegistries } from '../no-registries.ts'
import { testReaders } from '../test-readers.ts'

const log = createLog('test', 'silent')
const zero = `sha256:${'0'.repeat(64)}`

export interface SignedImage {
  promotedDigest: string
  layerDigest: string
}

/**
 * The promoted image of a version as the chain leaves it, from `layer`; it says of itself that it unpacks to that, or
 * to `diffId`.
 */
export async function makeSignedImage(
  { storage, signing }: Pick<BuildTools, 'storage' | 'signing'>,
  image: { versionId: string; layer: Buffer; diffId?: string; env?: string[]; user?: string },
): Promise<SignedImage> {
  const { versionId, layer, env = [], user = '' } = image
  const layerDigest = image.diffId ?? sha256Of(layer)
  const stored = await storage.put(quarantineKey(versionId), zstdCompressSync(layer))
  // These steps read and write no row.
  const build: Omit<Build, 'db' | 'keep'> = {
    order: {
      attemptId: 'bld_test',
      companyId: 'cmp_test',
      startedAt: new Date(),
      versionId,
      environmentId: 'env_test',
      buildRegion: 'onprem',
      buildProfile: 'standard',
      resourceProfile: 'standard',
      isolation: 'standard',
      cache: 'images',
      context: { key: 'context', format: 'tar', byteSize: 1, digest: zero },
    },
    findings: {
      canonicalDigest: zero,
      baseImages: [],
      builderVersion: '0.0.0',
      layer: { ...stored, diffId: layerDigest },
      imageConfig: { env, user },
      runner: { layerDigest: zero, abiRevision: 1, policyDigest: zero },
      scan: { findings: [], kinds: [], isComplete: true, sbomDigest: zero },
    },
    tools: {
      storage,
      signing,
      executor: new FakeExecutor(() => ({})),
      readers: testReaders(log),
      registries: noRegistries,
      log,
      liveLogs: { offer: () => () => undefined, wanted: () => undefined },
      clock: systemClock,
      runners: { record: async () => '' },
      builder: { id: 'http://sandbox.test', release: '0.0.0', programDigest: zero },
    },
    signal: new AbortController().signal,
  }
  for (const step of [sign, attest, promote]) await step.run(build as Build)
  return { promotedDigest: build.findings.promotedDigest ?? '', layerDigest }
}
