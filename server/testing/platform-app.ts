import type { FastifyInstance } from 'fastify'
import type { AddressRange } from '../base/address-range.ts'
import { createLog } from '../base/logging.ts'
import { PageTokens } from '../base/page.ts'
import type { Database } from '../db/database.ts'
import { createApp } from '../http/app.ts'
import { mounter } from '../http/mount.ts'
import { mountAuthRoutes } from '../http/routes/auth.ts'
import { mountMeRoutes } from '../http/routes/me.ts'
import { mountPlatformRoutes } from '../http/routes/platform.ts'
import { mountPublicInfoRoutes } from '../http/routes/public-info.ts'
import { AccessTokens } from '../platform/access-tokens.ts'
import { Authentication } from '../platform/authentication.ts'
import { Directory } from '../platform/directory.ts'
import { LoginAttempts } from '../platform/login-attempts.ts'
import { fixedPeppers, fixedTokenKeys } from './fixed-keys.ts'

export interface PlatformApp {
  app: FastifyInstance
  tokens: AccessTokens
  apiKeyPepper: Buffer
  /** Moves the clock that tokens, keys and login attempts go by. */
  pass: (ms: number) => void
}

/** The API's platform part on a real database, with keys and a clock of its own. */
export function createPlatformApp(db: Database, trustedProxies: AddressRange[] = []): PlatformApp {
  let aheadMs = 0
  const clock = { now: () => new Date(Date.now() + aheadMs) }
  const keys = fixedTokenKeys()
  const apiKeyPepper = Buffer.alloc(32, 1)
  const peppers = fixedPeppers(apiKeyPepper)
  const tokens = new AccessTokens({ keys, clock, issuer: 'http://test', lifetimeSeconds: 600 })
  const { authenticate } = new Authentication({ db, tokens, peppers, clock })
  const app = createApp(createLog('test', 'silent'))
  const mount = mounter(app, { authenticate, enabled: true })
  const attempts = new LoginAttempts({ db, clock, key: Buffer.alloc(32, 2) })
  mountAuthRoutes(mount, { db, tokens, attempts, trustedProxies })
  mountPublicInfoRoutes(mount, { deployment: 'onprem' })
  mountMeRoutes(mount, { directory: new Directory(db), enabled: true, deployment: 'onprem' })
  mountPlatformRoutes(mount, { db, pageTokens: new PageTokens(Buffer.alloc(32)), clock, peppers })
  const pass = (ms: number) => {
    aheadMs += ms
  }
  return { app, tokens, apiKeyPepper, pass }
}
