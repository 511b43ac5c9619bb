import type { Directory } from '../../access/directory/directory.ts'
import type { Config } from '../../base/config/config.ts'
import type { Keys } from '../../base/keys/keys.ts'
import { PublishedSigningKeys } from '../../base/keys/published-signing-keys.ts'
import { signingKeysFolder } from '../../base/keys/signing-keys.ts'
import type { Log } from '../../base/logging.ts'
import type { PageTokens } from '../../base/page.ts'
import { endWaitingBuilds } from '../../builds/attempts/cancel-builds.ts'
import { readLastBuilds } from '../../builds/attempts/last-build-store.ts'
import type { Database } from '../../db/database.ts'
import { offeredIsolations } from '../../environments/versions/version-settings.ts'
import type { Mount } from '../../http/mount.ts'
import {
  mountBaseImageRoutes,
  mountBuildRoutes,
  mountProvenanceRoutes,
} from '../../http/routes/environments/builds.ts'
import { mountContextUploadRoutes } from '../../http/routes/environments/context-uploads.ts'
import { mountEnvironmentRoutes, mountVersionRoutes } from '../../http/routes/environments/environments.ts'
import { mountFindingRoutes } from '../../http/routes/environments/findings.ts'
import type { LogFollowers } from '../../live-logs/log-followers.ts'
import { repeatedWritesOf } from '../../runs/submit/repeated-writes.ts'
import type { StateWatchers } from '../../state-watch/state-watchers.ts'
import type { Downloads } from '../../storage/downloads/downloads.ts'
import type { ObjectStorage } from '../../storage/port.ts'

interface EnvironmentParts {
  db: Database
  log: Log
  pages: PageTokens
  storage: ObjectStorage
  keys: Keys
  downloads: Downloads
  followers: LogFollowers
  watchers: StateWatchers
  deployment: Config['deployment']
  departments: Directory
  config: Pick<Config, 'dataDir' | 'runtimes' | 'registry' | 'publicRegistries'>
}

/** Environments, their archives, builds and findings. */
export function mountEnvironments(mount: Mount, { pages, keys, config, ...parts }: EnvironmentParts): void {
  const environments = {
    ...parts,
    pageTokens: pages,
    uploadCapabilityKeys: keys.derive('upload-capability'),
    isolations: offeredIsolations(config.runtimes),
    endWaitingBuilds,
    readLastBuilds,
    repeats: repeatedWritesOf(parts.db),
  }
  mountEnvironmentRoutes(mount, environments)
  mountContextUploadRoutes(mount, environments)
  mountVersionRoutes(mount, environments)
  mountBuildRoutes(mount, environments)
  mountBaseImageRoutes(mount, { db: parts.db, registries: config })
  const signing = new PublishedSigningKeys(signingKeysFolder(config.dataDir))
  mountProvenanceRoutes(mount, { ...parts, signing })
  mountFindingRoutes(mount, environments)
}
