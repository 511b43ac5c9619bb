import { readFile, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:https'
import { join } from 'node:path'
import { checkout } from '../main-job/service.ts'
import { nginxSample } from '../proxies/sample.ts'
import type { FreshRoot } from './fresh-root.ts'
import { requireParts } from './step.ts'

/** The role and the database as the documentation makes them. */
const documentedSql = /^ {4}create role sandbox_jobs .*\n {4}create database sandbox_jobs .*$/m

const password = 'of-the-first-hour'
const certificate = '/etc/ssl/first-hour.pem'
const key = '/etc/ssl/first-hour.key'

/** Programs that an operator sets up beside the service: Debian's own Postgres, and its nginx with a certificate for localhost. */
export class SecondService {
  readonly #root: FreshRoot
  readonly #port: number
  /** Of the proxy. */
  readonly url: string
  readonly #proxyPort: number

  constructor(root: FreshRoot, ports: { service: number; proxy: number }) {
    this.#root = root
    this.#port = ports.service
    this.#proxyPort = ports.proxy
    this.url = `https://localhost:${ports.proxy}`
  }

  /** The certificate on this machine, for the programs of people. */
  get certificate(): string {
    return join(this.#root.folder, certificate)
  }

  async must(argv: string[], ...parts: (string | RegExp)[]): Promise<string> {
    const { code, text } = await this.#root.command(...argv)
    if (code !== 0) throw new Error(`${argv.join(' ')} ends with ${code}:\n${text}`)
    requireParts(text, ...parts)
    return text
  }

  /** Debian's packages; a new package starts nothing by itself, as its ports are those of the whole machine. */
  async install(): Promise<void> {
    await writeFile(join(this.#root.folder, 'usr/sbin/policy-rc.d'), '#!/bin/sh\nexit 101\n', { mode: 0o755 })
    const quiet = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-qq']
    await this.must([...quiet, 'update'])
    const packages = ['postgresql', 'nginx-light', 'openssl']
    await this.must([...quiet, 'install', '--yes', '--no-install-recommends', ...packages])
  }

  /** Starts the cluster that Debian made, with two empty databases. Returns the version of the server. */
  async startPostgres(names: readonly string[]): Promise<string> {
    const [version = '', cluster = '', port = ''] = (await this.must(['pg_lsclusters', '-h'])).split(/ +/)
    await this.must(['pg_ctlcluster', version, cluster, 'start'])
    const documented = documentedSql.exec(await page('database.md'))?.[0].replace("'...'", `'${password}'`)
    if (documented === undefined) throw new Error('docs/operations/database.md makes no role and database')
    const [role = '', database = ''] = documented.split('\n')
    const statements = [role, ...names.map((name) => database.replace('sandbox_jobs', name))]
    for (const statement of statements)
      await this.must(['runuser', '-u', 'postgres', '--', 'psql', '-p', port, '-c', statement.trim()])
    this.#postgresPort = port
    return version
  }
  #postgresPort = ''

  databaseUrl(name: string): string {
    return `postgres://sandbox_jobs:${password}@127.0.0.1:${this.#postgresPort}/${name}`
  }

  async startProxy(): Promise<void> {
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
    const made = ['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject]
    await this.must([...made, '-keyout', key, '-out', certificate])
    const site = await nginxSample({
      port: this.#proxyPort,
      servicePort: this.#port,
      certificate,
      key,
      logFolder: '/var/log/nginx',
    })
    const nginx = join(this.#root.folder, 'etc/nginx')
    await writeFile(join(nginx, 'conf.d/sandbox.conf'), site)
    // It listens on port 80, which is that of the whole machine.
    await rm(join(nginx, 'sites-enabled/default'))
    await this.must(['nginx'])
  }

  /** Starts a service in the background, as quickstart does, and waits until it is ready. */
  async up(settings: Record<string, string>): Promise<void> {
    const start = '. install/say.sh; . install/service.sh; start_service'
    await this.must([
      'env',
      ...assignments({ SANDBOX_PORT: String(this.#port), ...settings }),
      'sh',
      '-ec',
      start,
    ])
  }

  /** Status and body of an address behind the proxy. */
  async read(path: string): Promise<{ status: number; body: string }> {
    const ca = await readFile(this.certificate)
    return new Promise((answered, failed) => {
      get(`${this.url}${path}`, { ca }, (response) => {
        let body = ''
        response.setEncoding('utf8').on('data', (part: string) => (body += part))
        response.on('end', () => answered({ status: response.statusCode ?? 0, body }))
      }).on('error', failed)
    })
  }
}

export const assignments = (settings: Record<string, string>): string[] =>
  Object.entries(settings).map(([name, value]) => `${name}=${value}`)

const page = (name: string) => readFile(join(checkout, 'docs/operations', name), 'utf8')
