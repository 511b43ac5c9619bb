import { closeSync, openSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, loadavg, release, tmpdir, totalmem, uptime } from 'node:os'
import { join, resolve } from 'node:path'
import { loggedServices } from '@sandbox-jobs/contract/operator/service-log.ts'
import { systemClock } from '../../../base/clock.ts'
import { type Config, ConfigInvalid, readConfig } from '../../../base/config/config.ts'
import { listMigrations } from '../../../db/recorded-migrations.ts'
import { commitOf } from '../../../http/routes/health.ts'
import { CommandFailed, runCommand } from '../../../operations/host/run-command.ts'
import { newestLines } from '../../../operations/logs/newest-lines.ts'
import { publicLine } from '../../../operations/logs/public-line.ts'
import manifest from '../../../package.json' with { type: 'json' }
import { runChecks } from '../../doctor.ts'
import { checkSettings } from '../../settings/check-settings.ts'
import { onLocalService, refuse, type ServiceRefusal } from '../local-service.ts'
import { overviewOf } from '../watch/service-overview.ts'
import { knownSecrets } from './known-secrets.ts'
import { publicSettings } from './public-settings.ts'

const linesOfLog = 2000
const hidden = '[secret]'

export interface SupportBundle {
  path: string
  files: string[]
  /** Secrets of this machine that were found in what was collected, and are not in the file. */
  hiddenSecrets: number
}

type Outcome =
  | { ok: true; value: SupportBundle }
  | ServiceRefusal
  | { ok: false; cause: 'file'; problems: string[] }

/**
 * Writes a tar.gz for whoever helps: versions, the results of doctor and of the check of the settings, settings, the newest log lines,
 * figures of the queues and facts of the host. No secret of this machine and no name of a tenant is in it. It needs no running service:
 * what cannot be read says why.
 */
export async function writeSupportBundle(file?: string): Promise<Outcome> {
  try {
    const at = systemClock.now().toISOString().slice(0, 19).replaceAll(/[-:]/g, '')
    const name = `sandbox-support-${at}`
    const path = resolve(file ?? `${name}.tar.gz`)
    const collected = await collect(readConfig())
    closeSync(openSync(path, 'wx', 0o600))
    await pack(path, name, collected.files)
    return { ok: true, value: { path, ...collected, files: Object.keys(collected.files) } }
  } catch (error) {
    if (error instanceof ConfigInvalid) return refuse('settings', ...error.problems)
    const isOfFile = error instanceof CommandFailed || (error instanceof Error && 'syscall' in error)
    if (!isOfFile) throw error
    return { ok: false, cause: 'file', problems: [error.message] }
  }
}

async function collect(config: Config): Promise<{ files: Record<string, string>; hiddenSecrets: number }> {
  const documents = {
    'versions.json': versions(),
    'host.json': hostFacts(),
    'settings.json': publicSettings(config),
    'settings-check.json': await orProblem(checkSettings),
    'doctor.json': await orProblem(runChecks),
    'database.json': await orProblem(databaseFacts),
  }
  const texts = Object.entries(documents).map(([name, value]) => [
    name,
    `${JSON.stringify(value, null, 2)}\n`,
  ])
  const secrets = knownSecrets(config)
  let hiddenSecrets = 0
  const clean = (text: string) => {
    for (const secret of secrets) {
      if (!text.includes(secret)) continue
      hiddenSecrets += 1
      text = text.replaceAll(secret, hidden)
    }
    return text
  }
  const files = [...texts, ...(await logs(config))].map(([name = '', text = '']) => [name, clean(text)])
  return { files: Object.fromEntries(files), hiddenSecrets }
}

/** A fault of one part, such as a damaged key file, is what the bundle is made for. */
const orProblem = (read: () => Promise<object>): Promise<object> =>
  read().catch((error: unknown) => ({ problems: [error instanceof Error ? error.message : String(error)] }))

const releaseCommit = join(import.meta.dirname, '../../../release-commit')

const versions = () => ({
  version: manifest.version,
  commit: commitOf(readFileSync(releaseCommit, 'utf8')),
  node: process.version,
})

function hostFacts() {
  const system = /^PRETTY_NAME="?([^"\n]*)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? null
  return {
    system,
    kernel: release(),
    processors: availableParallelism(),
    load: loadavg(),
    memory_bytes: totalmem(),
    up_seconds: Math.round(uptime()),
  }
}

/** Companies by their ids. */
async function databaseFacts(): Promise<object> {
  const read = await onLocalService(async (service) => {
    const { companies, runs, ...figures } = await overviewOf(service)
    return {
      schema: await listMigrations(service.db),
      ...figures,
      companies: companies.map(({ name: _name, ...rest }) => rest),
      runs: runs.map(({ company: _company, ...rest }) => rest),
    }
  })
  return read.ok ? read.value : { problems: read.problems }
}

const logs = ({ dataDir }: Config): Promise<[name: string, text: string][]> =>
  Promise.all(
    loggedServices.map(async (service): Promise<[name: string, text: string]> => {
      const wanted = { services: [service], level: 'trace', limit: linesOfLog } as const
      const newest = await newestLines(join(dataDir, 'logs'), wanted)
      const lines = newest.map((line) => JSON.stringify(publicLine(line)))
      return [`logs/${service}.jsonl`, lines.map((line) => `${line}\n`).join('')]
    }),
  )

async function pack(path: string, name: string, files: Record<string, string>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-support-'))
  try {
    await mkdir(join(folder, name, 'logs'), { recursive: true })
    for (const [file, text] of Object.entries(files)) await writeFile(join(folder, name, file), text)
    await runCommand('tar', ['-C', folder, '--owner=0', '--group=0', '-czf', path, name])
  } catch (error) {
    await rm(path)
    throw error
  } finally {
    await rm(folder, { recursive: true })
  }
}
