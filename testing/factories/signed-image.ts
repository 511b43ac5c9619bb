import { zstdCompressSync } from 'node:zlib'
import { systemClock } from '../../server/base/clock.ts'
import { createLog } from '../../server/base/logging.ts'
import { sha256Of } from '../../server/base/sha256.ts'
import type { Build, BuildTools } from '../../server/builds/request/build.ts'
import { attest } from '../../server/builds/steps/attest.ts'
import { promote } from '../../server/builds/steps/promote.ts'
import { sign } from '../../server/builds/steps/sign.ts'
import { stepList } from '../../server/builds/steps/step.ts'
import { installedDigest, type Layers } from '../../server/images/image-documents.ts'
import { quarantineKey } from '../../server/images/oci-layout.ts'
import { StoredDigests } from '../../server/images/stored-digests.ts'
import { FakeExecutor } from '../fake-executor/fake-executor.ts'
import { noBuildNetwork } from '../no-build-network.ts'
import { noRegistries } from '../no-registries.ts'
import { testReaders } from '../test-readers.ts'

const log = createLog('test', 'silent')
const zero = `sha256:${'0'.repeat(64)}`

export interface SignedImage {
  promotedDigest: string
  layerDigest: string
}

/**
 * The promoted image of a version as the build steps make it from `layer`; its configuration declares the digest of
 * the unpacked layer, or `diffId`.
 */
export async function makeSignedImage(
  { storage, signing }: Pick<BuildTools, 'storage' | 'signing'>,
  image: { versionId: string; layer: Buffer; lower?: Buffer; diffId?: string; env?: string[]; user?: string },
): Promise<SignedImage> {
  const { versionId, layer, lower, env = [], user = '' } = image
  const put = async (tar: Buffer, at: number, diffId = sha256Of(tar)) => ({
    ...(await storage.put(quarantineKey(versionId, at), zstdCompressSync(tar))),
    diffId,
  })
  const layers: Layers = lower
    ? [await put(lower, 0), await put(layer, 1)]
    : [await put(layer, 0, image.diffId)]
  // These steps use no rows.
  const build: Omit<Build, 'db' | 'write'> = {
    request: {
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
      context: { key: 'context', format: 'tar', byteSize: 1, digest: zero, uploadedAt: new Date(0) },
    },
    tools: {
      storage,
      digests: new StoredDigests(storage, systemClock),
      signing,
      executor: new FakeExecutor(() => ({})),
      readers: testReaders(log),
      registries: noRegistries,
      network: noBuildNetwork,
      log,
      liveLogs: { register: () => () => undefined, onRequested: () => undefined },
      clock: systemClock,
      runners: { record: async () => '' },
      builder: { id: 'http://sandbox.test', release: '0.0.0', programDigest: zero },
    },
    signal: new AbortController().signal,
  }
  const built = {
    canonicalDigest: zero,
    pulled: [],
    cachedStages: [],
    networkSince: null,
    baseImages: [],
    builderVersion: '0.0.0',
    layers,
    unpackedBytes: layer.length,
    imageConfig: { env, user },
    runner: { layerDigest: zero, abiRevision: 1, policyDigest: zero },
    scan: { findings: [], kinds: [], isComplete: true, sbomDigest: zero },
  }
  const steps = stepList<typeof built>().step(sign).step(attest).step(promote)
  const { promotedDigest } = await steps.run(built, (step, values) => step.run(build as Build, values))
  return { promotedDigest, layerDigest: installedDigest(layers) }
}
