import type { TestProject } from 'vitest/node'
import { fillCache, type OwnService, startService } from './service.ts'

/** Where a test run's shared service is, and the environment of the operator's commands on it. */
export type SharedService = Pick<OwnService, 'url' | 'env'>

declare module 'vitest' {
  interface ProvidedContext {
    sharedService: SharedService
  }
}

/** Makes the builder and the base images, and starts the service that test files share. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await fillCache()
  if (process.env.SANDBOX_E2E_URL) return async () => undefined
  const service = await startService()
  project.provide('sharedService', { url: service.url, env: service.env })
  return () => service.stop()
}
