import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CreateBucketCommand } from '@aws-sdk/client-s3'
import { afterAll } from 'vitest'
import { makeDebian } from '../../server/operations/host/debian.ts'
import { freePort } from '../../server/postgres/free-port.ts'
import { type BucketConfig, s3Client } from '../../server/storage/s3/s3-client.ts'
import { eventually } from '../eventually.ts'
import { bucketConfig } from './bucket-config.ts'

const run = promisify(execFile)
const root = '/var/lib/sandbox-jobs-test/ceph'
const packages = ['ceph-common', 'ceph-mon', 'ceph-osd', 'radosgw']
const [accessKey, secretKey] = ['key', 'secret']

/** Debian 13 with Ceph. Made once per machine from Debian packages: 0.6 GB, a few minutes. */
async function makeRoot(): Promise<void> {
  if (existsSync(root)) return
  const part = `${root}.${randomUUID()}`
  mkdirSync(part, { recursive: true })
  await makeDebian(part, { suite: 'trixie', packages })
  renameSync(part, root)
}

/**
 * Starts a Ceph of one monitor, one store in memory and one gateway, which serves S3, with one bucket. It ends with the test file. Needs
 * root. The gateway alone, on its SQLite store, is no substitute: it ignores the start of a range and copies nothing.
 */
export async function startCeph(): Promise<BucketConfig> {
  await makeRoot()
  const folder = `/cluster-${randomUUID()}`
  const [monitorPort, port] = [await freePort(), await freePort()]
  for (const part of ['mon', 'osd', 'rgw']) mkdirSync(join(root, folder, part), { recursive: true })
  const [cluster, store] = [randomUUID(), randomUUID()]
  writeFileSync(join(root, folder, 'ceph.conf'), settings(folder, { cluster, monitorPort, port }))
  const config = ['--conf', `${folder}/ceph.conf`]
  const tool = (...words: string[]) => run('chroot', [root, ...words, ...config])
  const daemons: ChildProcess[] = []
  const start = (...words: string[]) =>
    daemons.push(
      spawn('setpriv', ['--pdeathsig=KILL', 'chroot', root, ...words, ...config, '-f'], { stdio: 'ignore' }),
    )
  afterAll(async () => {
    const ended = daemons.map((daemon) => once(daemon, 'close'))
    for (const daemon of daemons) daemon.kill('SIGKILL')
    await Promise.all(ended)
    rmSync(join(root, folder), { recursive: true })
  })

  const map = `${folder}/monmap`
  const keys = `${folder}/keyring`
  await tool('ceph-authtool', '--create-keyring', keys, '--gen-key', '-n', 'mon.', '--cap', 'mon', 'allow *')
  const all = ['--cap', 'mon', 'allow *', '--cap', 'osd', 'allow *']
  await tool('ceph-authtool', keys, '--gen-key', '-n', 'client.admin', ...all)
  await tool('monmaptool', '--create', '--fsid', cluster, '--addv', 'a', `[v2:127.0.0.1:${monitorPort}]`, map)
  await tool('ceph-mon', '-i', 'a', '--mkfs', '--monmap', map, '--keyring', keys)
  start('ceph-mon', '-i', 'a')
  await tool('ceph', '--connect-timeout', '60', 'osd', 'new', store)
  const rights = ['mon', 'allow *', 'osd', 'allow *']
  const { stdout: storeKey } = await tool('ceph', 'auth', 'get-or-create', 'osd.0', ...rights)
  appendFileSync(join(root, keys), storeKey)
  await tool('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', store)
  start('ceph-osd', '-i', '0')
  const user = [
    '--uid',
    'test',
    '--display-name',
    'test',
    '--access-key',
    accessKey,
    '--secret-key',
    secretKey,
  ]
  await tool('radosgw-admin', 'user', 'create', ...user)
  start('radosgw', '-n', 'client.admin')
  const bucket = bucketConfig('objects', `http://127.0.0.1:${port}`, `${accessKey}:${secretKey}`)
  const client = s3Client(bucket)
  await eventually(() => client.send(new CreateBucketCommand({ Bucket: bucket.s3Bucket })))
  return bucket
}

const settings = (
  folder: string,
  { cluster, monitorPort, port }: { cluster: string; monitorPort: number; port: number },
): string =>
  [
    '[global]',
    `fsid = ${cluster}`,
    `mon host = v2:127.0.0.1:${monitorPort}`,
    'public addr = 127.0.0.1',
    `keyring = ${folder}/keyring`,
    'mon allow pool size one = true',
    'osd pool default size = 1',
    'osd pool default min size = 1',
    'osd pool default pg num = 1',
    'osd pool default pg autoscale mode = off',
    'osd crush chooseleaf type = 0',
    'osd objectstore = memstore',
    // Debian's default is a relative path.
    'osd class dir = /usr/lib/x86_64-linux-gnu/rados-classes',
    'admin socket =',
    `run dir = ${folder}`,
    `log file = ${folder}/log`,
    `mon data = ${folder}/mon`,
    `osd data = ${folder}/osd`,
    `rgw data = ${folder}/rgw`,
    `rgw frontends = beast endpoint=127.0.0.1:${port}`,
    '',
  ].join('\n')
