import { readFileSync } from 'node:fs'
import { homedir, totalmem } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { parseAddressRange } from './addresses/address-range.ts'

/**
 * Every setting of the service, in one table: an environment variable, or the same name in the YAML file that
 * `SANDBOX_CONFIG` names; the environment wins. All problems are reported at once.
 */
export interface Config {
  /** Folder of all data of the service. */
  dataDir: string
  host: string
  port: number
  /** Address ranges of the reverse proxies whose forwarding headers are trusted. */
  trustedProxies: string[]
  /** Prefix of links, without a slash at the end. */
  baseUrl: string
  /** External Postgres; absent: the embedded one. */
  databaseUrl: string | undefined
  /** The same database through separate roles with fewer rights; absent: `databaseUrl`. */
  apiDatabaseUrl: string | undefined
  workerDatabaseUrl: string | undefined
  /** The kill switch: false refuses every mutation except cancel, download, login and the directory. */
  enabled: boolean
  deployment: 'onprem' | 'hosted'
  logLevel: string
  agentSocket: string
  /** Runtimes that jobs may use, weakest first. The first is used unless an owner requires a stronger one. */
  runtimes: ('crun' | 'runsc')[]
  /** When the supervisor is root: the system user whose group API and worker share, for access to objects. */
  serviceUser: string
  /** When the supervisor is root: the system users of the single processes. */
  apiUser: string
  workerUser: string
  postgresUser: string
  readerUser: string
  /** Runs that this worker executes at once. */
  runSlots: number
  /** Slots reserved for companies without an active run; absent: one in eight. */
  reservedRunSlots: number | undefined
  /** Builds that this worker executes at once. */
  buildSlots: number
  /** Memory of all sandboxes together, in MiB; the service has the rest of the machine. */
  sandboxMemoryMib: number
  /** Sandboxes that the host agent creates in advance; absent: by the machine's memory. */
  warmSandboxes: number | undefined
  /** Bytes that a company may store if its operator has set no other limit; absent: a quarter of the disk. */
  companyStorageBytes: number | undefined
  /** Bytes of the data folder's disk that stay free; absent: by the disk's size. */
  diskFloorBytes: number | undefined
  /** Whether runs may have network access at all. */
  runtimeEgress: boolean
  /** Bytes that one run may send. */
  runEgressCapBytes: number
  /** `host[:port][/prefix]` of the registry for base images without a host in their name; `none`; absent: the public hub. */
  registry: string | undefined
  /** Whether that registry mirrors the public hub. */
  registryIsMirror: boolean
  /** PEM file of the certificate authority of that registry. */
  registryCaFile: string | undefined
  /** File with `user:password` for that registry, in one line. */
  registryLoginFile: string | undefined
  /** Whether base images may be pulled from the public registry in their name. */
  publicRegistries: boolean
  /** Source of the keys that encrypt stored secrets. */
  secretKeys: 'file' | 'vault'
  vaultAddress: string | undefined
  vaultMount: string
  vaultKey: string
  /** `{role}` in the path is replaced by `api`, `worker` or `operator`. */
  vaultTokenFile: string | undefined
  vaultNamespace: string | undefined
  vaultCaFile: string | undefined
  accessTokenSeconds: number
  /** `iss` of a further issuer of login tokens; absent: only the service's own tokens are accepted. */
  jwtIssuer: string | undefined
  jwtJwksUrl: string | undefined
  jwtAudience: string
  jwtLoginClaim: string
  databasePoolSize: number
  /** Whether installing a new runner approves it, or the operator must. */
  runnerApproval: 'declared' | 'reviewed'
}

type Raw = string | number | boolean

interface Setting<T> {
  env: string
  description: string
  /** Text of the default in the docs; `fallback` computes the value. */
  fallback: (read: Partial<Config>) => T
  parse: (raw: Raw) => T | undefined
  expected: string
}

const text = (pattern: RegExp, expected: string) => ({
  expected,
  parse: (raw: Raw) => (typeof raw === 'string' && pattern.test(raw) ? raw : undefined),
})

const integer = (minimum: number, maximum: number) => ({
  expected: `a whole number from ${minimum} to ${maximum}`,
  parse: (raw: Raw) => {
    const value = typeof raw === 'boolean' ? Number.NaN : Number(raw)
    return Number.isInteger(value) && value >= minimum && value <= maximum ? value : undefined
  },
})

const flag = {
  expected: 'true or false',
  parse: (raw: Raw) => ({ true: true, false: false })[String(raw)],
}

const oneOf = <T extends string>(...values: T[]) => ({
  expected: values.join(' or '),
  parse: (raw: Raw) => values.find((value) => value === raw),
})

const databaseAddress = text(/^postgres(ql)?:\/\/\S+$/, 'a postgres:// address')
const userName = text(/^[a-z_][a-z0-9_-]{0,31}$/, 'a user name')
const absolutePath = text(/^\/[^\0]*$/, 'an absolute path')
const url = text(/^https?:\/\/[^\s/]+[^\s]*[^\s/]$/, 'an http(s) address without a slash at the end')

const runtimeSets: Config['runtimes'][] = [['crun'], ['crun', 'runsc'], ['runsc']]

const isRoot = () => process.getuid?.() === 0

const gibOfMib = 1024

/** Memory of the machine, or of the container around the service, without the share of the service and its database. */
function sandboxMemoryDefaultMib(): number {
  const limit = process.constrainedMemory()
  const mib = Math.floor(Math.min(totalmem(), limit > 0 ? limit : Number.POSITIVE_INFINITY) / 2 ** 20)
  const ownMib = Math.min(mib / 2, Math.max(gibOfMib, Math.min(mib / 8, 4 * gibOfMib)))
  return Math.max(256, Math.floor(mib - ownMib))
}

export const settings: { [K in keyof Config]: Setting<Config[K]> } = {
  dataDir: {
    env: 'SANDBOX_DATA',
    description: 'folder of all data of the service',
    fallback: () => (isRoot() ? '/var/lib/sandbox-jobs' : join(homedir(), '.local/share/sandbox-jobs')),
    ...absolutePath,
  },
  host: {
    env: 'SANDBOX_HOST',
    description: 'address to listen on',
    fallback: () => '127.0.0.1',
    ...text(/^[0-9a-zA-Z.:-]+$/, 'an address'),
  },
  port: { env: 'SANDBOX_PORT', description: 'port to listen on', fallback: () => 8080, ...integer(1, 65535) },
  trustedProxies: {
    env: 'SANDBOX_TRUSTED_PROXIES',
    description:
      'addresses of reverse proxies, as ranges with commas between them: what their X-Forwarded-For or Forwarded says is believed',
    fallback: () => [],
    expected: 'ranges such as 10.0.0.0/8,192.0.2.7/32,2001:db8::/32',
    parse: (raw) => {
      const ranges = String(raw)
        .split(',')
        .map((range) => range.trim())
      return ranges.every((range) => parseAddressRange(range) !== undefined) ? ranges : undefined
    },
  },
  baseUrl: {
    env: 'SANDBOX_BASE_URL',
    description: 'prefix of links; default http://HOST:PORT',
    fallback: (read) => `http://${read.host}:${read.port}`,
    ...url,
  },
  databaseUrl: {
    env: 'DATABASE_URL',
    description: 'external Postgres 15 or later; default the embedded one',
    fallback: () => undefined,
    ...databaseAddress,
  },
  apiDatabaseUrl: {
    env: 'SANDBOX_API_DATABASE_URL',
    description: 'external Postgres with a role for the API only; default DATABASE_URL',
    fallback: () => undefined,
    ...databaseAddress,
  },
  workerDatabaseUrl: {
    env: 'SANDBOX_WORKER_DATABASE_URL',
    description: 'external Postgres with a role for the worker only; default DATABASE_URL',
    fallback: () => undefined,
    ...databaseAddress,
  },
  enabled: {
    env: 'SANDBOX_ENABLED',
    description: 'kill switch: false refuses every change except cancel, download, login and the directory',
    fallback: () => true,
    ...flag,
  },
  deployment: {
    env: 'SANDBOX_DEPLOYMENT',
    description: 'region set and defaults',
    fallback: () => 'onprem',
    ...oneOf('onprem', 'hosted'),
  },
  logLevel: {
    env: 'SANDBOX_LOG_LEVEL',
    description: 'lowest level that is logged',
    fallback: () => 'info',
    ...oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  },
  agentSocket: {
    env: 'SANDBOX_AGENT_SOCKET',
    description: 'unix socket of the host agent; default DATA/run/agent.sock',
    fallback: (read) => join(read.dataDir ?? '/', 'run/agent.sock'),
    ...absolutePath,
  },
  runtimes: {
    env: 'SANDBOX_RUNTIME',
    description: 'crun, crun,runsc (gVisor for versions whose owner asks) or runsc (gVisor for every job)',
    fallback: () => ['crun'],
    expected: 'crun or crun,runsc or runsc',
    parse: (raw) => runtimeSets.find((set) => set.join() === raw),
  },
  serviceUser: {
    env: 'SANDBOX_SERVICE_USER',
    description: 'system user whose group API and worker share; prefix of the names of the other users',
    fallback: () => 'sandbox-jobs',
    ...userName,
  },
  apiUser: {
    env: 'SANDBOX_API_USER',
    description: 'system user of the API; default SANDBOX_SERVICE_USER-api',
    fallback: (read) => `${read.serviceUser}-api`,
    ...userName,
  },
  workerUser: {
    env: 'SANDBOX_WORKER_USER',
    description: 'system user of the worker; default SANDBOX_SERVICE_USER-worker',
    fallback: (read) => `${read.serviceUser}-worker`,
    ...userName,
  },
  postgresUser: {
    env: 'SANDBOX_POSTGRES_USER',
    description: 'system user of the embedded Postgres; default SANDBOX_SERVICE_USER-postgres',
    fallback: (read) => `${read.serviceUser}-postgres`,
    ...userName,
  },
  readerUser: {
    env: 'SANDBOX_READER_USER',
    description: 'system user of archive readers; default SANDBOX_SERVICE_USER-reader',
    fallback: (read) => `${read.serviceUser}-reader`,
    ...userName,
  },
  runSlots: {
    env: 'SANDBOX_RUN_SLOTS',
    description: 'runs executed at once',
    fallback: () => 16,
    ...integer(1, 4096),
  },
  reservedRunSlots: {
    env: 'SANDBOX_RESERVED_RUN_SLOTS',
    description:
      'of these, reserved for companies without an active run; default one in eight, at least one of two',
    fallback: () => undefined,
    ...integer(0, 4095),
  },
  buildSlots: {
    env: 'SANDBOX_BUILD_SLOTS',
    description:
      'builds executed at once; one of two or more is reserved for companies without an active build',
    fallback: () => 3,
    ...integer(1, 64),
  },
  sandboxMemoryMib: {
    env: 'SANDBOX_MEMORY_MIB',
    description:
      'memory of all sandboxes together, in MiB; default the machine without an eighth for the service',
    fallback: sandboxMemoryDefaultMib,
    ...integer(256, 2 ** 30),
  },
  warmSandboxes: {
    env: 'SANDBOX_WARM_SANDBOXES',
    description: 'sandboxes created in advance; 0 for none; default one per GiB of memory, at most 8',
    fallback: () => undefined,
    ...integer(0, 4096),
  },
  companyStorageBytes: {
    env: 'SANDBOX_COMPANY_STORAGE_BYTES',
    description: 'bytes that one company may store; default a quarter of the data folder’s disk',
    fallback: () => undefined,
    ...integer(1, Number.MAX_SAFE_INTEGER),
  },
  diskFloorBytes: {
    env: 'SANDBOX_DISK_FLOOR_BYTES',
    description: 'bytes of the disk that stay free; default a twentieth of it, 4 GiB at most',
    fallback: () => undefined,
    ...integer(1, Number.MAX_SAFE_INTEGER),
  },
  runtimeEgress: {
    env: 'SANDBOX_RUNTIME_EGRESS',
    description: 'whether runs may reach public addresses',
    fallback: () => true,
    ...flag,
  },
  runEgressCapBytes: {
    env: 'SANDBOX_RUN_EGRESS_CAP_BYTES',
    description: 'bytes that one run may send',
    fallback: () => 1024 ** 3,
    ...integer(0, 2 ** 50),
  },
  registry: {
    env: 'SANDBOX_REGISTRY',
    description:
      'registry for base images without a host in their name: HOST[:PORT][/PREFIX], or none; default the public hub',
    fallback: () => undefined,
    ...text(
      /^(?:none|[a-zA-Z0-9](?:[a-zA-Z0-9-]*[.:][a-zA-Z0-9.:-]*)(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*)$/,
      'none or a host with a dot or a port, and perhaps a path: registry.example.org/mirror',
    ),
  },
  registryIsMirror: {
    env: 'SANDBOX_REGISTRY_IS_MIRROR',
    description: 'whether that registry is a mirror of the public hub, with the same paths',
    fallback: () => false,
    ...flag,
  },
  registryCaFile: {
    env: 'SANDBOX_REGISTRY_CA_FILE',
    description: 'PEM file of the certificate authority of that registry',
    fallback: () => undefined,
    ...absolutePath,
  },
  registryLoginFile: {
    env: 'SANDBOX_REGISTRY_LOGIN_FILE',
    description: "file with USER:PASSWORD for that registry, readable by the worker's user",
    fallback: () => undefined,
    ...absolutePath,
  },
  publicRegistries: {
    env: 'SANDBOX_PUBLIC_REGISTRIES',
    description: 'whether base images may be pulled from the public registry in their name',
    fallback: () => true,
    ...flag,
  },
  secretKeys: {
    env: 'SANDBOX_SECRET_KEYS',
    description:
      'keys that stored secrets are encrypted under: file (in the data folder) or vault (transit engine); after a change, sandbox operator keys rotate secrets',
    fallback: () => 'file',
    ...oneOf('file', 'vault'),
  },
  vaultAddress: {
    env: 'SANDBOX_VAULT_ADDRESS',
    description: 'address of HashiCorp Vault 1.14 or later, or of OpenBao: https://vault.example.org:8200',
    fallback: () => undefined,
    ...url,
  },
  vaultMount: {
    env: 'SANDBOX_VAULT_MOUNT',
    description: 'where its transit engine is mounted',
    fallback: () => 'transit',
    ...text(/^[A-Za-z0-9_-]+(?:\/[A-Za-z0-9_-]+)*$/, 'a path of letters, digits, _ and -'),
  },
  vaultKey: {
    env: 'SANDBOX_VAULT_KEY',
    description: 'name of its key, of type aes256-gcm96',
    fallback: () => 'sandbox-jobs',
    ...text(/^[A-Za-z0-9_.-]{1,128}$/, 'the name of a key'),
  },
  vaultTokenFile: {
    env: 'SANDBOX_VAULT_TOKEN_FILE',
    description:
      'file with a token of Vault; {role} in the path is api (which encrypts), worker (which decrypts) or operator (which rotates)',
    fallback: () => undefined,
    ...absolutePath,
  },
  vaultNamespace: {
    env: 'SANDBOX_VAULT_NAMESPACE',
    description: 'namespace of Vault',
    fallback: () => undefined,
    ...text(/^[A-Za-z0-9_./-]{1,256}$/, 'a namespace'),
  },
  vaultCaFile: {
    env: 'SANDBOX_VAULT_CA_FILE',
    description: 'PEM file of the certificate authority of Vault',
    fallback: () => undefined,
    ...absolutePath,
  },
  accessTokenSeconds: {
    env: 'SANDBOX_ACCESS_TOKEN_SECONDS',
    description: 'life of a login token',
    fallback: () => 8 * 3600,
    ...integer(60, 30 * 86_400),
  },
  jwtIssuer: {
    env: 'SANDBOX_JWT_ISSUER',
    description: 'a further issuer of login tokens, an identity provider: its `iss`',
    fallback: () => undefined,
    ...url,
  },
  jwtJwksUrl: {
    env: 'SANDBOX_JWT_JWKS_URL',
    description: 'where the identity provider publishes its keys; default ISSUER/.well-known/jwks.json',
    fallback: (read) => read.jwtIssuer && `${read.jwtIssuer}/.well-known/jwks.json`,
    ...url,
  },
  jwtAudience: {
    env: 'SANDBOX_JWT_AUDIENCE',
    description: 'required value among `aud` of its tokens',
    fallback: () => 'sandbox-jobs',
    ...text(/^\S{1,256}$/, 'a word'),
  },
  jwtLoginClaim: {
    env: 'SANDBOX_JWT_LOGIN_CLAIM',
    description: 'claim of its tokens with the login name of a user',
    fallback: () => 'sub',
    ...text(/^[A-Za-z0-9_.:/-]{1,128}$/, 'the name of a claim'),
  },
  databasePoolSize: {
    env: 'SANDBOX_DATABASE_POOL_SIZE',
    description: 'database connections of one process',
    fallback: () => 12,
    ...integer(4, 200),
  },
  runnerApproval: {
    env: 'SANDBOX_RUNNER_APPROVAL',
    description: 'declared: an installed runner is approved; reviewed: the operator approves each',
    fallback: () => 'declared',
    ...oneOf('declared', 'reviewed'),
  },
}

/** Unusable configuration: every problem, one per line. */
export class ConfigInvalid extends Error {
  readonly problems: string[]
  constructor(problems: string[]) {
    super(`configuration:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.name = 'ConfigInvalid'
    this.problems = problems
  }
}

/** Reads the configuration; throws `ConfigInvalid` with every problem. */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const problems: string[] = []
  const file = readConfigFile(environment.SANDBOX_CONFIG, problems)
  const names = Object.keys(settings) as (keyof Config)[]
  const known = new Set(names.map((name) => settings[name].env))
  for (const key of Object.keys(file)) {
    if (!known.has(key)) problems.push(`${environment.SANDBOX_CONFIG}: no setting is named ${key}`)
  }
  for (const key of Object.keys(environment)) {
    if (
      key.startsWith('SANDBOX_') &&
      key !== 'SANDBOX_CONFIG' &&
      !known.has(key) &&
      !clientVariables.has(key)
    ) {
      problems.push(`no setting is named ${key}`)
    }
  }
  const read: Record<string, unknown> = {}
  for (const name of names) {
    const setting = settings[name]
    const raw = environment[setting.env] ?? file[setting.env]
    if (raw === undefined || raw === '') {
      read[name] = setting.fallback(read)
      continue
    }
    read[name] = setting.parse(raw)
    if (read[name] === undefined) problems.push(`${setting.env} must be ${setting.expected}`)
  }
  if (problems.length > 0) throw new ConfigInvalid(problems)
  return read as unknown as Config
}

/** Variables of the command line tool, which have the same prefix. */
const clientVariables = new Set([
  'SANDBOX_URL',
  'SANDBOX_TOKEN',
  'SANDBOX_API_KEY',
  'SANDBOX_CLI_CONFIG',
  'SANDBOX_PASSWORD',
])

function readConfigFile(path: string | undefined, problems: string[]): Record<string, Raw> {
  if (!path) return {}
  try {
    const content: unknown = parse(readFileSync(path, 'utf8'))
    if (content === null) return {}
    if (typeof content === 'object' && !Array.isArray(content)) return content as Record<string, Raw>
    problems.push(`${path} must hold settings as NAME: value`)
  } catch (error) {
    problems.push(`${path} cannot be read: ${error instanceof Error ? error.message.split('\n')[0] : error}`)
  }
  return {}
}
