import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { machineCommand } from '../../cli/testing/run-cli.ts'
import type { SharedService } from './global-setup.ts'
import type { Applied, Service } from './service.ts'

const run = promisify(execFile)

/** The service at SANDBOX_E2E_URL, or a new company on the service that the files of a test run share. */
export async function openService(): Promise<Service> {
  const { SANDBOX_E2E_URL: url, SANDBOX_E2E_USER: user, SANDBOX_E2E_PASSWORD: password } = process.env
  if (!url) return newCompany(inject('sharedService'))
  if (!user || !password) {
    throw new Error('SANDBOX_E2E_URL needs SANDBOX_E2E_USER and SANDBOX_E2E_PASSWORD of an administrator')
  }
  return { url, user, password, stop: async () => undefined }
}

/** A company has limits and quotas of its own, and its tasks and environments have names of their own. */
async function newCompany({ url, env }: SharedService): Promise<Service> {
  const mark = randomBytes(4).toString('hex')
  const user = `ada-${mark}`
  const company = {
    name: `acme-${mark}`,
    users: [{ login: user, name: 'Ada', role: 'company_administrator' }],
    departments: [{ name: 'sales', rooms: [{ name: 'daily-numbers', members: [user] }] }],
  }
  const folder = await mkdtemp(join(tmpdir(), 'e2e-company-'))
  try {
    const file = join(folder, 'company.yaml')
    await writeFile(file, JSON.stringify({ companies: [company] }))
    const { stdout } = await run(machineCommand, ['admin', 'apply', file, '--json'], { env })
    const [login] = (JSON.parse(stdout) as Applied).passwords
    return { url, user, password: login?.password ?? '', stop: async () => undefined }
  } finally {
    await rm(folder, { recursive: true })
  }
}
