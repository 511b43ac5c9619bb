import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { afterAll } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { createLog } from '../../base/logging.ts'
import { SigningKeys } from '../../base/signing-keys.ts'
import { quarantineKey } from '../../builds/oci-layout.ts'
import { ArchiveReaders } from '../../builds/reader/archive-readers.ts'
import { attest } from '../../builds/steps/attest.ts'
import { promote } from '../../builds/steps/promote.ts'
import { sign } from '../../builds/steps/sign.ts'
import type { Build, BuildTools } from '../../builds/steps/step.ts'
import type { Database } from '../../db/database.ts'
import { RunnerReleases } from '../../environments/runner-releases.ts'
import type { Executor } from '../../executor/port.ts'
import type { ObjectStorage } from '../../storage/port.ts'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

interface Parts {
  storage: ObjectStorage
  executor: Executor
}

/** What images are signed with: keys of their own. */
export function makeSigningTools(parts: Parts): Omit<BuildTools, 'runners'> & { signing: SigningKeys } {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-test-keys-'))
  folders.push(folder)
  const log = createLog('test', 'silent')
  return {
    ...parts,
    log,
    readers: new ArchiveReaders(log),
    clock: systemClock,
    signing: new SigningKeys(folder),
    builder: { id: 'http://sandbox.test', release: '0.0.0' },
  }
}

/** What builds work with. */
export const makeBuildTools = (db: Database, parts: Parts): BuildTools & { signing: SigningKeys } => ({
  ...makeSigningTools(parts),
  runners: new RunnerReleases(db, 'declared'),
})

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
  tools: Omit<BuildTools, 'runners'>,
  image: { versionId: string; layer: Buffer; diffId?: string; env?: string[]; user?: string },
): Promise<SignedImage> {
  const { versionId, layer, env = [], user = '' } = image
  const layerDigest = image.diffId ?? `sha256:${createHash('sha256').update(layer).digest('hex')}`
  const stored = await tools.storage.put(quarantineKey(versionId), zstdCompressSync(layer))
  const build: Build = {
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
      context: { key: 'context', format: 'tar', byteSize: 1, digest: zero },
    },
    findings: {
      canonicalDigest: zero,
      baseImages: [],
      builderVersion: '0.0.0',
      layer: { ...stored, diffId: layerDigest },
      imageConfig: { env, user },
      runner: { layerDigest: zero, abiRevision: 1, policyDigest: zero },
    },
    tools: { ...tools, runners: { record: async () => '' } },
    signal: new AbortController().signal,
  }
  for (const step of [sign, attest, promote]) await step.run(build)
  return { promotedDigest: build.findings.promotedDigest ?? '', layerDigest }
}
