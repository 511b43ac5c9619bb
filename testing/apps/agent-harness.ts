import { afterAll } from 'vitest'
import type { Database } from '../../server/db/database.ts'
import { AgentApp, type AgentAppOptions } from './agent-app.ts'

export type { ToolAnswer } from './agent-app.ts'

/** The same for a test file, closed after its tests. */
export class AgentHarness extends AgentApp {
  constructor(db: Database, options?: AgentAppOptions) {
    super(db, options)
    afterAll(() => this.close())
  }
}
