import type { Browser, Page } from 'playwright-core'
import type { ConsoleWorld } from '../console/console-world.ts'
import type { OwnService } from '../main-job/service.ts'

/** The things that each measure works with. */
export interface Measured {
  world: ConsoleWorld & { service: OwnService }
  browser: Browser
  /** A page of a context of its own, in which nothing is cached. */
  openSignedIn: () => Promise<Page>
}
