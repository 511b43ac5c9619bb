import { execFileSync } from 'node:child_process'
import { chmod, chown, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { bucketName, TestBucket } from '../../../testing/bucket/test-bucket.ts'
import { accountOf } from '../../postgres/account.ts'
import { checkSettings } from './check-settings.ts'

const bucket = await TestBucket.start()
let folder: string
const at = (name: string) => join(folder, name)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sandbox-settings-'))
  await chmod(folder, 0o755)
})
afterAll(() => rm(folder, { recursive: true }))

async function check(lines: string[], now?: Date): Promise<string[]> {
  await writeFile(at('settings'), ['# of a unit', `SANDBOX_DATA=${at('data')}`, ...lines].join('\n'))
  const findings = await checkSettings(at('settings'), now)
  return findings.map(({ severity, message }) => `${severity}: ${message}`.replaceAll(folder, 'DIR'))
}

const dayMs = 86_400_000

test('settings that a start takes have no finding', async () => {
  expect(await check(['SANDBOX_PORT="8090"'])).toEqual([])
})

test('all problems of the settings are listed at once, and those between settings', async () => {
  expect(await check(['SANDBOX_PORT=http', 'SANDBOX_PROT=1'])).toEqual([
    'problem: no setting is named SANDBOX_PROT',
    'problem: SANDBOX_PORT must be a whole number from 1 to 65535',
  ])
  const together = ['SANDBOX_SECRET_KEYS=vault', 'SANDBOX_API_DATABASE_URL=postgres://localhost/one']
  expect(await check(together)).toEqual([
    expect.stringContaining('go together'),
    expect.stringContaining('SANDBOX_VAULT_ADDRESS'),
  ])
  expect(await checkSettings(at('absent'))).toEqual([
    { severity: 'problem', message: expect.stringContaining('cannot be read') },
  ])
})

test('settings without effect and an address that needs a proxy are warnings', async () => {
  expect(
    await check(['SANDBOX_MAIL_FROM=a@example.org', 'SANDBOX_BASE_URL=https://jobs.example.org']),
  ).toEqual([
    'warning: SANDBOX_MAIL_FROM has no effect without SANDBOX_MAIL_SERVER',
    expect.stringMatching(/^warning: SANDBOX_BASE_URL is https.*SANDBOX_TRUSTED_PROXIES/),
  ])
})

test('a database that takes no login is a problem, and its address is not shown', async () => {
  const url = new URL(inject('postgresUrl'))
  expect(await check([`DATABASE_URL=${url.href}`])).toEqual([])
  url.pathname = '/no-such-database'
  expect(await check([`DATABASE_URL=${url.href}`])).toEqual([
    'problem: DATABASE_URL: no login to the database: there is no such database',
  ])
})

test('a bucket that cannot be used is a problem, and so is one without a limit for companies', async () => {
  const { url } = bucket
  await writeFile(at('s3'), 'key:secret', { mode: 0o640 })
  await chown(at('s3'), 0, accountOf('sandbox-jobs')?.gid ?? 0)
  const lines = (name: string) => [
    `SANDBOX_S3_BUCKET=${name}`,
    `SANDBOX_S3_ENDPOINT=${url}`,
    `SANDBOX_S3_CREDENTIALS_FILE=${at('s3')}`,
  ]
  expect(await check(lines(bucketName))).toEqual([
    expect.stringMatching(/^problem: SANDBOX_S3_BUCKET needs SANDBOX_COMPANY_STORAGE_BYTES/),
  ])
  const limit = 'SANDBOX_COMPANY_STORAGE_BYTES=1g'
  expect(await check([...lines(bucketName), limit])).toEqual([])
  expect(await check([...lines('missing'), limit])).toEqual([
    `problem: SANDBOX_S3_BUCKET: the bucket missing of ${url} cannot be used: put probe: 404 NoSuchBucket: as a test says`,
  ])
  await bucket.stop()
  expect(await check([...lines(bucketName), limit])).toEqual([expect.stringContaining('ECONNREFUSED')])
  expect(await check(['SANDBOX_S3_PREFIX=jobs'])).toEqual([
    'warning: SANDBOX_S3_PREFIX has no effect without SANDBOX_S3_BUCKET',
  ])
})

test('named files must be files that the process can read, and that others cannot', async () => {
  const mail = ['SANDBOX_MAIL_SERVER=smtp://mail.example.org', `SANDBOX_MAIL_LOGIN_FILE=${at('login')}`]
  expect(await check(mail)).toEqual(['problem: SANDBOX_MAIL_LOGIN_FILE: DIR/login does not exist'])
  execFileSync('mkfifo', [at('login')])
  expect(await check(mail)).toEqual(['problem: SANDBOX_MAIL_LOGIN_FILE: DIR/login is not a file'])
  await rm(at('login'))
  await writeFile(at('login'), 'mailer:secret\n', { mode: 0o600 })
  expect(await check(mail)).toEqual([
    'problem: SANDBOX_MAIL_LOGIN_FILE: DIR/login cannot be read by the user of the worker',
  ])
  await chmod(at('login'), 0o644)
  expect(await check(mail)).toEqual([
    'warning: SANDBOX_MAIL_LOGIN_FILE: DIR/login can be read by every user: chmod o-r',
  ])
  await writeFile(at('login'), 'secret\n')
  expect(await check(mail)).toContain(
    'problem: SANDBOX_MAIL_LOGIN_FILE: DIR/login has no USER:PASSWORD in one line',
  )
})

test('a folder of backups must be only for who starts the service, and is better on another disk', async () => {
  const backups = [`SANDBOX_BACKUP_FOLDER=${at('backups')}`]
  expect(await check(backups)).toEqual(['problem: SANDBOX_BACKUP_FOLDER: DIR/backups does not exist'])
  await mkdir(at('backups'), { mode: 0o700 })
  await mkdir(at('data'))
  expect(await check(backups)).toEqual([expect.stringMatching(/^warning: .* is lost with it$/)])
  await rm(at('data'), { recursive: true })
  await symlink(at('backups'), at('link'))
  expect(await check([`SANDBOX_BACKUP_FOLDER=${at('link')}`])).toEqual([
    'problem: SANDBOX_BACKUP_FOLDER: DIR/link is reached by a link: name DIR/backups',
  ])
  await chmod(at('backups'), 0o777)
  expect(await check(backups)).toEqual([expect.stringMatching(/^problem: .* chmod go-w$/)])
  expect(await check([`SANDBOX_BACKUP_FOLDER=${at('data/backups')}`])).toEqual([
    expect.stringContaining('must not be in SANDBOX_DATA'),
  ])
  expect(await check(['SANDBOX_BACKUP_TIMES=25:00'])).toEqual([expect.stringContaining('02:00,14:30')])
  expect(await check(['SANDBOX_BACKUP_TIMES=01:00, 13:00'])).toEqual([
    'warning: SANDBOX_BACKUP_TIMES has no effect without SANDBOX_BACKUP_FOLDER',
  ])
})

test('public keys that age refuses, and an identity that it cannot read alone, are told', async () => {
  execFileSync('age-keygen', ['--output', at('identity')], { stdio: 'ignore' })
  const recipient = execFileSync('age-keygen', ['-y', at('identity')], { encoding: 'utf8' }).trim()
  const lines = [`SANDBOX_BACKUP_RECIPIENTS=${recipient}`, `SANDBOX_BACKUP_IDENTITY_FILE=${at('identity')}`]
  expect(await check(lines)).toEqual([])
  expect(await check(lines.slice(1))).toEqual([
    'warning: SANDBOX_BACKUP_IDENTITY_FILE has no effect without SANDBOX_BACKUP_RECIPIENTS',
  ])
  const mistyped = recipient.replace(/.$/, (last) => (last === 'q' ? 'p' : 'q'))
  await writeFile(at('identity'), 'age-encryption.org/v1')
  expect(await check([`SANDBOX_BACKUP_RECIPIENTS=${mistyped}`, ...lines.slice(1)])).toEqual([
    expect.stringMatching(/^problem: SANDBOX_BACKUP_IDENTITY_FILE: .* has no AGE-SECRET-KEY/),
    expect.stringMatching(/^problem: SANDBOX_BACKUP_RECIPIENTS: .*malformed recipient/),
  ])
  expect(await check(['SANDBOX_BACKUP_RECIPIENTS=age1short'])).toEqual([
    expect.stringContaining('public keys such as age1'),
  ])
})

test('a bucket of backups needs credentials that no other user can read', async () => {
  const lines = ['SANDBOX_BACKUP_REMOTE=store:backups/one', `SANDBOX_BACKUP_REMOTE_FILE=${at('rclone.conf')}`]
  await writeFile(at('rclone.conf'), '[store]', { mode: 0o600 })
  expect(await check(lines)).toEqual([])
  await chmod(at('rclone.conf'), 0o640)
  expect(await check(lines)).toEqual([
    expect.stringMatching(/^problem: .* so no backup is copied: chmod 600$/),
  ])
  expect(await check(lines.slice(1))).toEqual([expect.stringContaining('go together')])
  for (const wrong of [':s3:backups', 'store,env_auth=true:backups', '/backups', '--config:backups']) {
    const findings = await check([`SANDBOX_BACKUP_REMOTE=${wrong}`, ...lines.slice(1)])
    expect(findings, wrong).toEqual([expect.stringContaining('NAME:BUCKET/FOLDER')])
  }
})

test('a certificate authority is told before it ends and after it', async () => {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', '/dev/null']
  execFileSync(
    'openssl',
    ['req', '-x509', '-days', '365', '-subj', '/CN=authority', ...key, '-out', at('ca.pem')],
    { stdio: 'ignore' },
  )
  const registry = ['SANDBOX_REGISTRY=registry.example.org', `SANDBOX_REGISTRY_CA_FILE=${at('ca.pem')}`]
  const inDays = (days: number) => check(registry, new Date(Date.now() + days * dayMs))
  expect(await inDays(1)).toEqual([])
  expect(await inDays(350)).toEqual([expect.stringMatching(/^warning: .* certificate that ends on \d{4}-/)])
  expect(await inDays(400)).toEqual([expect.stringMatching(/^problem: .* last one ended on \d{4}-/)])
  await writeFile(at('ca.pem'), 'no certificate')
  expect(await inDays(1)).toEqual([expect.stringContaining('has no certificate in PEM form')])
})

test('a data folder that no start takes, and key files of another user, are problems', async () => {
  await symlink(folder, at('data'))
  expect(await check([])).toEqual([expect.stringContaining('must be a folder, and not a link to one')])
  await rm(at('data'))
  await mkdir(at('data/keys/api'), { recursive: true })
  await writeFile(at('data/keys/api/root.key'), '')
  expect(await check([])).toEqual([
    'problem: DIR/data/keys/api/root.key belongs to another user than that of the API',
  ])
  const api = accountOf('sandbox-jobs-api')
  await chown(at('data/keys/api/root.key'), api?.uid ?? 0, api?.gid ?? 0)
  expect(await check([])).toEqual([])
  await chmod(folder, 0o700)
  expect(await check([])).toContainEqual(expect.stringContaining('cannot enter'))
  await chmod(folder, 0o755)
})
