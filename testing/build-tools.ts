import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { systemClock } from '../server/base/clock.ts'
import { SigningKeys } from '../server/base/keys/signing-keys.ts'
import { createLog } from '../server/base/logging.ts'
import { programDigest } from '../server/builds/cache/program-digest.ts'
import type { BuildTools } from '../server/builds/request/build.ts'
import type { Database } from '../server/db/database.ts'
import { RunnerReleases } from '../server/environments/operator/runner-releases.ts'
import { StoredDigests } from '../server/images/stored-digests.ts'
import { LogSources } from '../server/live-logs/log-sources.ts'
import { liveLogWriter } from '../server/live-logs/stream-live-log.ts'
import { noBuildNetwork } from './no-build-network.ts'
import { noRegistries } from './no-registries.ts'
import { testReaders } from './test-readers.ts'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Keys for this test only. */
export function makeSigningKeys(): SigningKeys {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-test-keys-'))
  folders.push(folder)
  return new SigningKeys(folder)
}

/** The dependencies of builds. */
export function makeBuildTools(
  db: Database,
  parts: Pick<BuildTools, 'storage' | 'executor'>,
): BuildTools & { signing: SigningKeys } {
  const log = createLog('test', 'silent')
  return {
    ...parts,
    digests: new StoredDigests(parts.storage, systemClock),
    log,
    liveLogs: new LogSources({ executor: parts.executor, write: liveLogWriter(db), log }),
    readers: testReaders(log),
    registries: noRegistries,
    network: noBuildNetwork,
    clock: systemClock,
    signing: makeSigningKeys(),
    runners: new RunnerReleases(db, 'declared'),
    builder: { id: 'http://sandbox.test', release: '0.0.0', programDigest: programDigest('0.0.0') },
  }
}
