import { spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { accessSync, closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs'
import { dayMs } from '../../base/clock.ts'
import type { Config } from '../../base/config/config.ts'
import { type KeyRole, keyRoles, tokenFileOf } from '../../base/config/secret-key-settings.ts'
import { parseLogin } from '../../notifications/mail/smtp.ts'
import { hasSecretKey, noSecretKey } from '../../operations/backup/encryption/check-identity.ts'
import { asAccount } from '../../postgres/account.ts'
import type { ServiceAccounts } from '../supervisor/host/service-accounts.ts'
import { type Finding, problem, warning } from './finding.ts'

/** A file that a setting names. */
interface NamedFile {
  setting: string
  path: string
  /** The process that opens it. */
  reader: KeyRole | 'backups'
  content: 'certificates' | 'login' | 'token' | 'names' | 'identity' | 'remote'
}

function filesOf(config: Config): NamedFile[] {
  const file = (
    setting: string,
    path: string | undefined,
    content: NamedFile['content'],
    ...readers: NamedFile['reader'][]
  ): NamedFile[] => (path === undefined ? [] : readers.map((reader) => ({ setting, path, content, reader })))
  const { vaultTokenFile } = config
  const tokens = keyRoles.flatMap((role) => {
    const path = vaultTokenFile && tokenFileOf(vaultTokenFile, role)
    return file('SANDBOX_VAULT_TOKEN_FILE', path, 'token', role)
  })
  return [
    ...file('SANDBOX_REGISTRY_CA_FILE', config.registryCaFile, 'certificates', 'worker'),
    ...file('SANDBOX_REGISTRY_LOGIN_FILE', config.registryLoginFile, 'login', 'worker'),
    ...file('SANDBOX_PACKAGE_HOSTS_FILE', config.packageHostsFile, 'names', 'worker'),
    ...file('SANDBOX_MAIL_CA_FILE', config.mailCaFile, 'certificates', 'worker'),
    ...file('SANDBOX_MAIL_LOGIN_FILE', config.mailLoginFile, 'login', 'worker'),
    ...file('SANDBOX_OIDC_CLIENT_SECRET_FILE', config.oidcClientSecretFile, 'token', 'api'),
    ...file('SANDBOX_S3_CREDENTIALS_FILE', config.s3CredentialsFile, 'login', 'api', 'worker'),
    ...file('SANDBOX_S3_CA_FILE', config.s3CaFile, 'certificates', 'api', 'worker'),
    ...file('SANDBOX_VAULT_CA_FILE', config.vaultCaFile, 'certificates', 'api', 'worker'),
    ...(config.secretKeys === 'vault' ? tokens : []),
    ...file('SANDBOX_BACKUP_IDENTITY_FILE', config.backupIdentityFile, 'identity', 'backups'),
    ...file('SANDBOX_BACKUP_REMOTE_FILE', config.backupRemoteFile, 'remote', 'backups'),
  ]
}

/**
 * Faults of the files that the settings name: whether the process that needs a file can read it, what is in it, and who else
 * can read or change it. Without `accounts` all processes are the caller's.
 */
export function checkNamedFiles(config: Config, accounts: ServiceAccounts | undefined, now: Date): Finding[] {
  const found = filesOf(config).flatMap((file) => checkFile(file, accounts, now))
  // A file with several readers has the same content for all.
  return [...new Map(found.map((finding) => [finding.message, finding])).values()]
}

function checkFile(file: NamedFile, accounts: ServiceAccounts | undefined, now: Date): Finding[] {
  const named = `${file.setting}: ${file.path}`
  const opened = readFirst(file.path)
  if (typeof opened === 'string') return [problem(`${named} ${opened}`)]
  if (!canRead(file, accounts)) return [problem(`${named} cannot be read by the user of the ${file.reader}`)]
  return [
    ...contentFindings(file.content, opened.text, now).map((finding) => ({
      ...finding,
      message: `${named} ${finding.message}`,
    })),
    ...othersFindings(named, file, opened.stats),
  ]
}

/** More than the largest list of certificate authorities. */
const fileMaxBytes = 4 * 1024 * 1024

/** The start of a file, or why it has none. It does not wait for a pipe. */
function readFirst(path: string): { text: string; stats: Stats } | string {
  let file: number | undefined
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stats = fstatSync(file)
    if (!stats.isFile()) return 'is not a file'
    if (stats.size > fileMaxBytes) return `is larger than ${fileMaxBytes} bytes`
    const bytes = Buffer.alloc(stats.size)
    const read = readSync(file, bytes, 0, bytes.length, 0)
    return { text: bytes.toString('utf8', 0, read), stats }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    return code === 'ENOENT' ? 'does not exist' : `cannot be opened (${code ?? error})`
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** Asked of the system as that account, which also knows access lists and the folders above. */
function canRead({ path, reader }: NamedFile, accounts: ServiceAccounts | undefined): boolean {
  if (!accounts || reader === 'operator' || reader === 'backups') {
    try {
      accessSync(path, constants.R_OK)
      return true
    } catch {
      return false
    }
  }
  const [command = '', ...args] = asAccount(accounts[reader], ['test', '-r', path])
  return spawnSync(command, args, { cwd: '/', stdio: 'ignore' }).status === 0
}

function contentFindings(content: NamedFile['content'], text: string, now: Date): Finding[] {
  if (content === 'certificates') return certificateFindings(text, now)
  if (content === 'login' && parseLogin(text) === undefined)
    return [problem('has no USER:PASSWORD in one line')]
  if (content === 'identity' && !hasSecretKey(text)) return [problem(noSecretKey)]
  if (content === 'token' && text.trim() === '') return [problem('is empty')]
  return []
}

const soonMs = 30 * dayMs
const pem = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g
const dayOf = (date: Date) => date.toISOString().slice(0, 10)

function certificateFindings(text: string, now: Date): Finding[] {
  try {
    const certificates = (text.match(pem) ?? []).map((block) => new X509Certificate(block))
    const ends = certificates.map(({ validToDate }) => validToDate).toSorted((a, b) => Number(a) - Number(b))
    const [first, last] = [ends[0], ends.at(-1)]
    if (!first || !last) return [problem('has no certificate in PEM form')]
    if (last <= now) return [problem(`has no valid certificate: the last one ended on ${dayOf(last)}`)]
    const next = ends.find((end) => end > now) ?? last
    if (Number(next) - Number(now) < soonMs) return [warning(`has a certificate that ends on ${dayOf(next)}`)]
    return first <= now ? [warning(`has a certificate that ended on ${dayOf(first)}`)] : []
  } catch {
    return [problem('has a certificate that cannot be read')]
  }
}

function othersFindings(named: string, { content }: NamedFile, { mode }: Stats): Finding[] {
  const isSecret = content === 'login' || content === 'token' || content === 'identity'
  return [
    ...(content === 'remote' && (mode & 0o077) !== 0
      ? [problem(`${named} can be read by other users, so no backup is copied: chmod 600`)]
      : []),
    ...(isSecret && (mode & 0o004) !== 0 ? [warning(`${named} can be read by every user: chmod o-r`)] : []),
    ...((mode & 0o002) !== 0 ? [warning(`${named} can be changed by every user: chmod o-w`)] : []),
  ]
}
