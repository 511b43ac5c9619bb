import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { createLog } from '../base/logging.ts'
import { SigningKeys } from '../base/signing-keys.ts'
import { programDigest } from '../builds/cache/program-digest.ts'
import type { BuildTools } from '../builds/steps/step.ts'
import type { Database } from '../db/database.ts'
import { RunnerReleases } from '../environments/runner-releases.ts'
import { liveLogWriter } from '../live-logs/live-log-writer.ts'
import { LogOffers } from '../live-logs/log-offers.ts'
import { noRegistries } from './no-registries.ts'
import { testReaders } from './test-readers.ts'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Keys that sign nothing else. */
export function makeSigningKeys(): SigningKeys {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-test-keys-'))
  folders.push(folder)
  return new SigningKeys(folder)
}

/** What builds work with. */
export function makeBuildTools(
  db: Database,
  parts: Pick<BuildTools, 'storage' | 'executor'>,
): BuildTools & { signing: SigningKeys } {
  const log = createLog('test', 'silent')
  return {
    ...parts,
    log,
    liveLogs: new LogOffers({ executor: parts.executor, write: liveLogWriter(db), log }),
    readers: testReaders(log),
    registries: noRegistries,
    clock: systemClock,
    signing: makeSigningKeys(),
    runners: new RunnerReleases(db, 'declared'),
    builder: { id: 'http://sandbox.test', release: '0.0.0', programDigest: programDigest('0.0.0') },
  }
}
