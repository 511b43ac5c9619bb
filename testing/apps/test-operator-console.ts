import { operatorRoutes } from '@sandbox-jobs/contract/operator/operator-routes.ts'
import type { OperatorAccess } from '@sandbox-jobs/contract/operator/operator-sign-in.ts'
import type { Clock } from '../../server/base/clock.ts'
import { readConfig } from '../../server/base/config/config.ts'
import { createLog } from '../../server/base/logging.ts'
import type { Database } from '../../server/db/database.ts'
import { createOperatorApp } from '../../server/main/operator-app.ts'
import { makeCode } from '../../server/operations/operator-sign-ins/operator-sign-ins.ts'
import { testFolder } from './test-storage.ts'

export type SentHeaders = Record<string, string | undefined>

interface Sent {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  url: string
  payload?: object
  headers?: SentHeaders
}

const listen = '127.0.0.1:8079'

/** Of a request that a page of the console makes. */
const ownPage = {
  host: listen,
  origin: `http://${listen}`,
  'sec-fetch-site': 'same-origin',
  'x-sandbox-console': '1',
}

/** The operator console on a test database, and a browser that sends its requests. */
export class TestOperatorConsole {
  readonly config
  readonly #services
  readonly #app

  constructor(db: Database, clock: Clock, packedFolder = testFolder()) {
    this.#services = { db, clock }
    this.config = readConfig({ SANDBOX_DATA: packedFolder, SANDBOX_OPERATOR_LISTEN: listen })
    const { config } = this
    this.#app = createOperatorApp({
      db,
      clock,
      config,
      log: createLog('test', 'silent'),
      listen,
      packedFolder,
    })
  }

  send({ headers = {}, ...request }: Sent) {
    const given = Object.entries({ ...ownPage, ...headers }).filter(([, value]) => value !== undefined)
    return this.#app.inject({ ...request, headers: Object.fromEntries(given) as Record<string, string> })
  }

  makeCode(access: OperatorAccess = 'full'): Promise<string> {
    return makeCode(this.#services, { account: 'grace', access })
  }

  signIn(code: unknown, headers: SentHeaders = {}) {
    return this.send({ method: 'POST', url: operatorRoutes.signIn.path, payload: { code }, headers })
  }

  /** The cookie of a sign-in. */
  async signedIn(access?: OperatorAccess): Promise<string> {
    const answer = await this.signIn(await this.makeCode(access))
    return String(answer.headers['set-cookie']).split(';')[0] ?? ''
  }
}
